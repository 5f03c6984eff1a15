"""Which lines of a log contradict what is assumed of Flink, or what nearly all runs do?

The input is runs: the events of jobs, in order. `assumptions.py` has what the rules assume of Flink
and lines can show, and `necessary_lines.py` which lines each run writes. `finale validate` checks
each run against both. `mining.py` looks for what most of many runs do and a few do not; `finale
mine` prints that. All but `necessary_lines.py` cut a run into *slices*: the lines of one
checkpoint, of one attempt of a task, or of both. Start with `line_classes.py`.
"""
