"""Judges logs of real runs, in this process or on Spark, and stores the results in tables."""
