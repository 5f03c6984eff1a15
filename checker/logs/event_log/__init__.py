"""Does a complete event log tell a run of the protocol?

Given an event log, `acceptance.py` hands on whether a run explains it, and what such a run shows:
start there. `search.py` looks for the run; `setting.py` reads the protocol and its options from the
log's first lines. `step_cache` judges many complete logs fast.
"""
