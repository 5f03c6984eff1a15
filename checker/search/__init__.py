"""Which states can a system reach, and what holds in them?

Each search is given a system, limits and options. It hands on a `Report`: a verdict on each
property, a shortest trace for each violation, and the exact number of states. Start with
`verdict.py` (what a report holds) and `run.py` (one check from start to end). Then read one search:
`bfs` is written to be read, `native` is the same search in machine code, `interpreter` runs the
rules themselves and shares nothing with the other two, `bmc` asks a solver, `distributed` spreads
`native` over machines. `state_graph` holds what the searches share. `reductions` makes a search
smaller. `solving` asks z3 about states and steps.
"""
