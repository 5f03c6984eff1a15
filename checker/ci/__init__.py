"""How does a build show the answer?

Given the results of a check, this room hands on documents that CI servers read: JUnit, SARIF,
annotations and a summary for GitHub Actions; and test items for pytest. Start with `findings.py`:
what a reader of a build must see. Each format is one file and draws the same findings.
"""
