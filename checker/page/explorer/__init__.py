"""A local page on which a reader walks the state space of a spec.

`walk.py` answers questions about one run: where it is, what can happen next, what holds there.
`server.py` hands these answers to one browser on this machine. `explorer.js` draws them.
"""
