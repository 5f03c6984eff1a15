"""Impact: which rules a change of Flink touches, read from class files or sources without a JVM.

Asks: what did a change of Flink change where the rules of the model stand, and where none stands?
Hands on: an `Impact` with methods, the names that rules have for them, log lines, and gaps.
"""
