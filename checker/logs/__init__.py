"""Does a log tell a run of the protocol, and does that run keep the properties?

The input is raw logs. The output is findings: each is a sentence with the lines that it is about.
Start with `validate.py`, and with `lines.py`, the table of what each kind of line means, which all
others ask. Then follow a line of a log:

1. `read`: bytes become lines, lines become entries, entries become events, events become runs.
   Files of several processes are put in order by their messages (`messages.py`), not by clocks.
2. `replay`: each event changes the known state, and `property_monitor.py` asks the properties.
3. `flink`, with `--accept` alone: does the protocol have a run with exactly these lines? A search
   looks for one, and a proof shows that there is none.
4. `regularities`: which lines contradict what is assumed of Flink, or what nearly all runs do?
5. `event_log`: the same question for complete event logs, which the engine of `reference/` writes.

`cli/validate.py` calls `pipeline/validating`, which cuts logs into pieces, one for each cluster,
and calls `validate.judge_cluster` for each. `verdicts.py` makes plain data of the result, and
`checker/report/validated.py` prints it. Nothing here needs Spark.

What a log does not tell is unknown. A property that reads a variable without a known value stops
there (`PartialStore.get` raises `UnknownHere`), and is undecided.
"""
