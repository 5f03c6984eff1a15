"""What protocols share: elements and channels, tasks, the coordinator, sinks, recovery."""
