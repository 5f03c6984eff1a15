"""Is there a run of the protocol that has just the lines of a log?

Given a run of a real engine, `judge.py` hands on a witness or a refutation: start there. A witness
is sought by `guide.py` and checked by `witness.py`; `proof.py` shows on a projection of the system
that there is none, and `refusals.py` says it in words.
"""
