"""Does the engine of `reference/` do what the protocol says?

Given a spec, this room drives model and engine side by side and hands on where they differ.
`lockstep.py` compares them in every reachable state: start there. `replay.py` takes one trace
through real files, `microsteps.py` crashes amid each step, and `random_runs.py` judges long runs.
"""
