"""The operators of tasks: sources, transformations and sinks. `base.py` has the interface."""
