"""How do raw logs become runs of jobs?

The input is files, folders and archives. The output is runs: the events of one job, in order. Lines
that tell no event are counted and kept. Read `log_files`, `log_entries`, `log_events` (which uses
the tables of `line_patterns`) and `job_runs`, in this order. `visibility` says which events the
levels of a log leave out.
"""
