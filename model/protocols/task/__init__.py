"""A task: its operator, its main loop, and how it ends."""
