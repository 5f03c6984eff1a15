"""How is an answer shown?

Given results, this room hands on text: tables, traces, drawings of jobs and of life cycles, for a
terminal or a pipe. Start with `results.py` (verdicts) and `trace.py` (a counterexample).
"""
