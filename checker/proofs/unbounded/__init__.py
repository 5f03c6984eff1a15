"""Proofs without a bound on ids, records and failures, by clauses that prove each other.

In reading order: `window` (how rules are read off for ids without end), `terms` (what that is for
z3), `proof` (what is asked), `finish` and `stops` (the clauses), `clauses` (of which protocols
there are some), `prove` (what follows from them).
"""
