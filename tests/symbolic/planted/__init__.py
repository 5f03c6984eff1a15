"""Variants with a planted mistake that depends on the layout of a search: none may be proven."""
