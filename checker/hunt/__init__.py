"""Looks for violations that no spec describes: today's rules in many small settings.

Question: which counterexamples of the rules of a release does nobody know yet?
Given: a release, and the specs that describe known violations.
Hands on: signatures of counterexamples, each with the smallest setting as a spec.
Start reading in `signature.py`, then `settings.py` and `hunting.py`.
"""
