"""The native search: packed states and generated machine code, for large systems."""
