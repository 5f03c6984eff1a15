"""Judges logs while they grow: `source.py` reads what is new, `work.py` judges, `run.py` tells."""
