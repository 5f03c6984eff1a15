"""What does a change of a protocol change, and how small can a counterexample be?

Given a variant (or other values of options) and specs, this room runs each spec under the protocol
as it is and under the change, and hands on a `Review`: verdicts that differ with a shortest trace
each, rules that differ, and lines of the change that no run reached. Start with `change.py`, then
`review.py`. `minimise.py` shrinks the setting of one counterexample.
"""
