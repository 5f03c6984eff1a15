"""Planted mistakes of `final-checkpoint`, by what goes wrong."""
