"""What do the events of a run show?

The input is a run of Flink. The output is findings. `log_replay.py` takes the events one by one,
`replay_state.py` rebuilds the state of the model as far as lines tell it, and `replay_monitor.py`
asks the properties. `stops.py` follows stops with a savepoint; `unfinished_tasks.py` says what a
task still waits for.
"""
