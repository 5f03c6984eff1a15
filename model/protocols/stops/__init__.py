"""Stops: how a user ends a job with a savepoint, with a checkpoint, or without either."""
