"""What a worker needs to know of a system: its machine code as text, and the sizes of its arrays.

The text holds the compiled rules and properties, so a worker never builds the system.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from finale.checker.cache.plain_data import plain, typed
from finale.checker.search.native.code import compiled
from finale.checker.search.native.kernel import places as at
from finale.checker.search.native.machine import FUNCTIONS, NativeMachine
from finale.checker.search.native.workers import Sizes, sizes_of

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false
from finale.model.given import json_of


@dataclass(frozen=True)
class SystemProgram:
    """A system as workers see it. `initial` serves only to tell systems apart."""

    sources: tuple[str, ...]
    width: int
    leaf_rules: tuple[int, ...]
    sizes: Sizes
    initial: tuple[tuple[int, ...], ...]

    @cached_property
    def identity(self) -> str:
        """A hash that is the same only for the same search."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def text(self) -> str:
        """The program as JSON."""
        table = plain(self)
        for name in ("order", "antecedents"):  # a program is without reductions
            table["sizes"].pop(name)
        return json.dumps(table, sort_keys=True)


def program_of(machine: NativeMachine) -> SystemProgram:
    """Return what workers need of a machine, which must have no reductions."""
    assert machine.canonical is None
    assert machine.order is None
    initial = tuple(tuple(machine.layout.encode(state)) for state in machine.initial)
    leaf_rules = tuple(machine.leaf_rules.tolist())
    return SystemProgram(
        tuple(machine.sources), machine.layout.width, leaf_rules, sizes_of(machine), initial
    )


def program_from(text: str) -> SystemProgram:
    """Return a program that was written as JSON."""
    return typed(SystemProgram, json_of(text))


class CompiledProgram:
    """A program as machine code, and the block by which the loops know it."""

    def __init__(self, program: SystemProgram, level: int = 1) -> None:
        self.program = program
        self._code = compiled(program.sources, level)
        self.addresses: Sequence[int] = self._code.addresses(FUNCTIONS)
        self._leaf_rules: NDArray[np.int64] = np.array(program.leaf_rules, np.int64)

    def block(self) -> NDArray[np.int64]:
        """Return a new block, without findings and without room."""
        sizes = self.program.sizes
        block: NDArray[np.int64] = np.zeros(at.SHARED_COUNT, np.int64)
        block[[at.EXPAND, at.ASK, at.COVER, at.IS_STUCK, at.ASK_PART]] = self.addresses
        block[[at.DEADLOCK, at.FAULT_STATE, at.FAULT_LEAF]] = -1
        block[at.CHUNKS], block[at.LEAF_RULES] = sizes.chunks, self._leaf_rules.ctypes.data
        block[at.BRANCHES], block[at.LEAVES_COUNT] = sizes.branches + 1, sizes.leaves
        block[at.STATE_TOPICS], block[at.STEP_TOPICS] = sizes.state_topics, sizes.step_topics
        return block
