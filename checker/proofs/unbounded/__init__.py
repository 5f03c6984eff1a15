"""Proves properties without bounds on ids, records and failures, by clauses that prove each other.

Read in this order: `window` (how rules are read off for any number of ids), `terms` (the
translation for z3), `proof` (the questions), `finish` and `stops` (the clauses), `clauses` (which
protocols have clauses), `prove` (what follows from them).
"""
