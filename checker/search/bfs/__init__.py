"""The readable back end: breadth-first search over decision trees, written to be read."""
