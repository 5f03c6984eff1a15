"""Sweeps: one spec under all combinations of options, jobs, bounds and variants."""
