"""The file formats of the engine: checkpoints, jobs, event logs, requests, faults."""
