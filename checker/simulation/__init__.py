"""What happens on some runs of a system: random ones, or one that somebody chooses step by step?

Given a `System`, this room hands on runs, and what is true on them: how they end, which properties
they violate, test or reach. A run says nothing about other runs: verdicts are for `checker.search`.
Every step is one of `model/semantics.py`. Start with `runs.py` (a run that grows), then
`judging.py` (what is true on it) and `sampling.py` (many random runs).
"""
