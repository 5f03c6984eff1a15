"""Lists the parts that a driven job can have; `java/Operator.java` and others build them."""

from __future__ import annotations

from model.topology import OperatorKind, Sink

KINDS = frozenset(
    kind.value
    for kind in (
        OperatorKind.SOURCE,
        OperatorKind.PASS_THROUGH,
        OperatorKind.KEYED,
        OperatorKind.BUFFERING,
        OperatorKind.UNION_STATE,
        OperatorKind.SPLIT_STATE,
    )
)
SINKS = frozenset(sink.value for sink in (Sink.NONE, Sink.TWO_PHASE, Sink.AT_LEAST_ONCE))

__all__ = ["KINDS", "SINKS"]
