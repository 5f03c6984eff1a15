"""The bounded search: asks z3 for runs up to a length, and lists no states."""
