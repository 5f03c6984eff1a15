"""Asks the solver z3 about the states and steps of a system.

`translation.py` turns expressions into terms, `encoding.py` turns rules into one step. `prover.py`
asks about single states. `ic3.py` finds what no run reaches, and `certificate.py` checks it anew.
"""
