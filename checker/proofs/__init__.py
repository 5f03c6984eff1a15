"""What holds without listing states?

Given a system, `prove.py` looks for an invariant and hands on a proof or a counterexample: start
there. `ic3.py`, `induction.py` and `spacer.py` find invariants; `certificate.py` checks each one
anew. `needed.py` says which guards a proof needs. `all_jobs` proves facts about jobs of any size,
and `unbounded` proves properties without bounds on ids, records and failures.
"""
