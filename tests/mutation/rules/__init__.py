"""Mutants of the protocols: small mistakes in rules and helpers, which the specs must find."""
