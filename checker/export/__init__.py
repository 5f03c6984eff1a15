"""How does the same system read in TLA+ and in Promela?

Given a system, `files.py` writes it for TLC and SPIN, which count its states and judge its
properties by themselves. Start with `tla.py`.
"""
