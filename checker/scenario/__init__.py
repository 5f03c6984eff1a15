"""Scenarios: what is done to one part of a protocol, step by step, and what is seen of it."""
