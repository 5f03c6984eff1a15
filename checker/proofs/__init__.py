"""Which properties hold, proven without listing states?

`prove.py` is given a system, looks for an invariant, and hands on a proof or a counterexample:
start there. `checker/search/solving/ic3.py`, `induction.py` and `spacer.py` find invariants;
`checker/search/solving/certificate.py` checks each one anew. `needed.py` tells which guards a proof
needs. `all_jobs` proves facts about jobs of any size. `unbounded` proves properties without bounds
on ids, records and failures.
"""
