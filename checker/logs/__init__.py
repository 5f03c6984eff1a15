"""Raw logs of an engine: lines, entries, events, runs, findings. Pure, without Spark."""
