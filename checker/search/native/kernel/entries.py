"""Lists the loops that Python calls, and gives their text as one LLVM module."""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportAttributeAccessIssue=false
from collections.abc import Iterator

from numba import njit, types

from .advance import advance
from .cache_follow import follow, take_all
from .chains import go_along
from .fair import components, enabled_keys, keys_of_parts, reach, stem
from .graph import answer, ask_all, edges, find_step
from .mail import forget_sent, leads_into, receive, send, sort_out
from .memory import OPTIONS
from .parts import compress_states, refill_node
from .places import LOOPS
from .table import move_entries, refill

ENTRIES = (
    advance, ask_all, refill, move_entries, refill_node, compress_states,
    find_step, edges, answer, enabled_keys, components, keys_of_parts, stem, reach,
    forget_sent, sort_out, receive, send, leads_into, follow,
    take_all, go_along,
)  # fmt: skip


def sources() -> Iterator[str]:
    """Return the loops as numba makes them, optimised; each with a function of its name before it.

    What numba makes has a second result and a pointer for errors, which these loops never have.
    """
    for function in ENTRIES:
        arity = LOOPS[function.__name__]
        loop = njit(**OPTIONS)(function)
        loop.compile((types.int64,) * arity)
        [signature] = loop.signatures
        made = loop.overloads[signature].fndesc.mangled_name
        parameters = ", ".join(f"i64 %a{place}" for place in range(arity))
        yield f"""{loop.inspect_llvm(signature)}
define i64 @{function.__name__}({parameters}) {{
  %result = alloca i64
  %error = alloca ptr
  %status = call i32 @{made}(ptr %result, ptr %error, {parameters})
  %value = load i64, ptr %result
  ret i64 %value
}}
"""
