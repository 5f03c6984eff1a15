"""Constructs of Python that a user could write in a protocol, and the protocol that holds them."""
