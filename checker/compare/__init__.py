"""Compares two systems: are they the same to an observer, and if not, which run shows it?

Given: two specs, an observer, limits. Handed on: a `Comparison`. Start with `comparison.py`; then
`observer.py` (what is seen), `observed.py` (the labelled transition system), `identity.py` (which
values are the same), `bisimulation.py` and `inclusion.py` (the two algorithms), and `lts.py` (the
system itself, and the file format of other tools).
"""
