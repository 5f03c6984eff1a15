"""Tests of logs share what projections can do."""

from tests.kept import steps_are_kept

__all__ = ["steps_are_kept"]
