"""Lists the benches by their names in scenarios. A bench is loaded when a scenario names it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from finale.checker.scenario.bench import Bench


def _bench(module: str, name: str) -> Callable[[], type[Bench]]:
    def load() -> type[Bench]:
        kind: type[Bench] = getattr(import_module(f"{__name__}.{module}"), name)
        return kind

    return load


BENCHES: Mapping[str, Callable[[], type[Bench]]] = MappingProxyType(
    {
        "plan": _bench("plan", "PlanBench"),
        "aligned-handler": _bench("handler", "AlignedHandlerBench"),
        "unaligned-handler": _bench("unaligned", "UnalignedHandlerBench"),
        "timed-handler": _bench("timed", "TimedHandlerBench"),
        "tracker": _bench("tracker", "TrackerBench"),
        "coordinator": _bench("coordinator", "CoordinatorBench"),
        "task": _bench("task", "TaskBench"),
        "chained-task": _bench("chained", "ChainedTaskBench"),
        "sink": _bench("sink", "SinkBench"),
        "run": _bench("run", "RunBench"),
        "graph-check": _bench("graph_check", "GraphCheckBench"),
        "metadata": _bench("metadata", "MetadataBench"),
        "gateway": _bench("gateway", "GatewayBench"),
        "start": _bench("start", "StartBench"),
        "persister": _bench("persister", "PersisterBench"),
    }
)
