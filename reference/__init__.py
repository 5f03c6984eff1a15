"""The engine: runs jobs on real records, with real files, and takes real checkpoints.

In reading order: `elements`, `channel`, `gate`, `task` (what a task does), `network`, `coordinator`
(what the coordinator does), `formats` (what is on disk), `engine` (which steps can be taken),
`running`, `failing` (the steps), and `protocols`, one file each; `runner` runs a job that a user
has written down. The engine is written from the same texts as the model, and must not see the
rules that it is checked against.
"""
