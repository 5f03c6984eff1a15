"""What the engine reads and writes: files, checkpoints, jobs."""
