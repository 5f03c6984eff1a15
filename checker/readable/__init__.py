"""The readable back end: a breadth-first search over decision trees, written to be checked by eye."""
