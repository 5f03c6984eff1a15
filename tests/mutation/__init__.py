"""Mistakes that are put into the engine, one at a time: conformance with the model finds them."""
