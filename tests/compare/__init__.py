"""Comparisons: systems at random, definitions, and changes that change nothing."""
