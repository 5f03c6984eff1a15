"""A watch on a real cluster: the code is shipped, and a worker that is lost costs no finding."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Thread

import pytest

from finale.pipeline.session import SparkCluster
from finale.pipeline.watch.cluster import WatchSetting
from finale.pipeline.watch.run import WatchPlan, watch
from tests.pipeline.standalone import CONF, Standalone

from .test_standalone import cluster as cluster  # noqa: PLC0414 - a fixture
from .test_watch import Record, expected, findings
from .test_watch_judging import TABLE, content

pytestmark = pytest.mark.slow


def test_a_worker_is_killed(cluster: Standalone, tmp_path: Path) -> None:
    """When the first batch is planned: what it was at is done by the other one."""
    logs, kept = tmp_path / "watched", tmp_path / "kept"
    logs.mkdir()
    (logs / "flink.log").write_bytes(content("H16-00"))
    told: list[Record] = []

    def kill() -> None:
        while not (kept / "spark" / "offsets" / "0").is_file():
            time.sleep(0.05)
        cluster.kill_worker(0)

    killing = Thread(target=kill, daemon=True)
    killing.start()
    setting = WatchSetting(str(logs), TABLE)
    plan = WatchPlan(logs, setting, SparkCluster(cluster.master, CONF), 300.0, kept, once=True)
    far = watch(plan, lambda records, _: told.extend(records))
    killing.join(timeout=60)
    assert cluster.workers[0].poll() is not None
    assert sorted(findings(told)) == sorted(expected(logs))
    assert (far.logs, far.jobs, far.findings) == (1, 1, 7)
