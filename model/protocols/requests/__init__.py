"""Requests of users: checkpoints, savepoints and cancellations."""
