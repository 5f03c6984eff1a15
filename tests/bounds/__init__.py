"""Repeats every spec with each bound one larger: `python -m tests.bounds` writes docs/bounds.md."""
