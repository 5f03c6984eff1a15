"""Coverage: how much of a protocol the specs of a suite look at.

Question: which branches of rules does no spec take, and which rules of the environment (failures,
time-outs, requests) does no spec take in which phase of a task, a checkpoint or a request?
Given: specs. Hands on: branches and pairs with the specs that reach them, gaps with the cheapest
setting that was tried and closes them, and the reasons of gaps that nothing can close.
Start reading in `seen.py`, then `suite.py` and `closing.py`.
"""
