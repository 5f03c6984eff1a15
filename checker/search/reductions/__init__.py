"""What makes a search smaller and keeps its verdicts: found in the system, handed over as data."""
