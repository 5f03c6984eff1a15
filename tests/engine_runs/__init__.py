"""Runs of the engine for tests: chosen by a seed, and cut in the middle of a step."""
