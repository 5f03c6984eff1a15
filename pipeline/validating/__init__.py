"""Judges logs of real runs, in this process or on Spark, and keeps what they are in tables."""
