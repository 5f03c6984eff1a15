"""Sinks: what becomes visible outside of the job, and when."""
