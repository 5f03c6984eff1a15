"""What do the events of a run show?

Given a run, `replay.py` goes through it event by event. `state.py` rebuilds the model's state as
far as lines tell it, `monitors.py` asks the properties of what is known, and the findings are
handed on. `stops.py` and `hung_stops.py` follow stops with a savepoint; `unfinished.py` says what
a task still waits for.
"""
