"""Does the protocol have a run with exactly the lines of a log of Flink?

The input is a run of a real engine. The output is a witness or a rejection: start with `judge.py`.
`witness_search.py` looks for a witness, and `witness_check.py` checks it. `proof.py` shows on a
projection of the system that there is no run, and `refusals.py` puts the proof into words.
"""
