"""Which states can a system reach, and what holds in them?

Given a system, limits and options, each search hands on a `Report`: an answer for each property,
with a shortest trace where it falls, and the exact numbers of states. Start with `answer.py` (what
is answered) and `run.py` (one spec from start to end). Then one search: `bfs` is written to be
read; `native` is the same search, compiled; `interpreter` shares nothing with both; `bmc` asks a
solver; `distributed` spreads `native` over machines. `state_graph` has what they share, and
`reductions` what makes a search smaller.
"""
