"""A small matrix on disk, for tests: two-phase commit, with planted mistakes, in two sizes."""

from __future__ import annotations

from pathlib import Path

from finale.checker.spec.catalogue import catalogue
from finale.pipeline.sweep.cells import SweepPlan, planned
from finale.pipeline.sweep.matrix import Matrix, read_matrix

BASE = """\
title    = "Two-phase commit"
protocol = "two-phase-commit"

[sizes]
managers = 2
"""
MATRIX = """\
title = "Mistakes in two-phase commit"
base = "base.toml"
properties = ["agreement", "commitment", "no-deadlock"]

[axes]
variant = ["none", "commits-with-one", "withdraws"]
sizes.managers = [1, 2, 3]

[[exclude]]
variant = "withdraws"
sizes.managers = [2, 3]
"""
CELLS = 7


def written(folder: Path, matrix: str = MATRIX, base: str = BASE) -> Path:
    """The file of a matrix, with its base beside it."""
    (folder / "base.toml").write_text(base)
    file = folder / "matrix.toml"
    file.write_text(matrix)
    return file


def matrix_in(folder: Path, text: str = MATRIX) -> Matrix:
    """A matrix, read."""
    return read_matrix(written(folder, text), catalogue())


def plan_in(folder: Path, text: str = MATRIX, version: str = "1") -> SweepPlan:
    """The cells of a matrix."""
    return planned(matrix_in(folder, text), catalogue(), version)
