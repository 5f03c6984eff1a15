"""Failures: which tasks a failure ends, and how tasks are restored."""
