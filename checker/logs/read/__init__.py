"""How do raw logs become runs of jobs?

Given files, folders and archives, this room hands on runs: events in order, of one job each. Lines
that tell nothing are counted and kept. In reading order: `sources`, `entries`, `events` (by the
tables of `patterns`), `runs`. `profile` says which events the log's levels leave out.
"""
