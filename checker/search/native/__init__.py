"""The native back end: packed states, generated machine code, the search for large systems."""
