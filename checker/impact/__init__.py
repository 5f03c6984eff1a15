"""Impact: which rules two builds of Flink touch, read from their class files without a JVM.

Asks: what did a change of Flink change where the rules of the model stand, and where none stands?
Hands on: an `Impact` with methods, the names that rules have for them, log lines, and gaps.
"""
