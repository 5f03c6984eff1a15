"""Lists the benches by their names in scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from finale.checker.scenario.bench import Bench

from .coordinator import CoordinatorBench, PlanBench
from .gateway import GatewayBench
from .handlers import (
    AlignedHandlerBench,
    PersisterBench,
    TimedHandlerBench,
    TrackerBench,
    UnalignedHandlerBench,
)
from .jobs import RunBench
from .sink import SinkBench
from .snapshots import GraphCheckBench, MetadataBench, StartBench
from .task import ChainedTaskBench, TaskBench

_BENCHES: tuple[type[Bench], ...] = (
    PlanBench,
    AlignedHandlerBench,
    UnalignedHandlerBench,
    TimedHandlerBench,
    TrackerBench,
    CoordinatorBench,
    TaskBench,
    ChainedTaskBench,
    SinkBench,
    RunBench,
    GraphCheckBench,
    MetadataBench,
    GatewayBench,
    StartBench,
    PersisterBench,
)
BENCHES: Mapping[str, type[Bench]] = MappingProxyType({bench.part: bench for bench in _BENCHES})
