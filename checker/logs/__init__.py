"""Is what a log tells a run of the protocol, and does that run keep the properties?

Given raw logs, this room hands on findings: each a sentence with the lines that it is about. Start
with `validate.py`, then follow a line of a log:

1. `read`: bytes become lines, lines become entries, entries become events, events become runs.
2. `replay`: a run is gone through event by event; properties are asked of what is known.
3. `flink`: is there a run of the protocol that has just these lines? A search looks for one, and
   a proof shows that there is none.
4. `event_log`: the same question for complete event logs, which the engine of `reference/`
   writes.

Nothing here needs Spark; `pipeline` runs it on many machines.
"""
