"""Does the engine of `reference/` do what the protocol says?

Given a spec, this room drives model and engine side by side and hands on where they differ.
`lockstep.py` compares them in every reachable state: start there. `replay.py` takes one trace
through real files. Crashes amid a step and long random runs are tests: `tests/engine_runs`.
"""
