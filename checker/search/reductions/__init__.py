"""Finds what makes a search smaller without changing verdicts, and hands it over as plain data."""
