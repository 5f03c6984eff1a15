"""Continues a search on Spark: `run.py` leads the search, `work.py` is the work of one worker."""
