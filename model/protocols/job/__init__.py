"""The job: what its tasks exchange, and how tasks, channels and records are laid out."""
