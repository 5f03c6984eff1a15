"""The readable search: breadth-first over decision trees, written to be read."""
