"""Small builds of Flink, compiled in a test: a few classes under names that rules have."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

JAVAC = shutil.which("javac")
needs_javac = pytest.mark.skipif(JAVAC is None, reason="there is no javac")

#: A coordinator and a task of ten lines each, in the packages of Flink.
COORDINATOR = """
package org.apache.flink.runtime.checkpoint;
public class CheckpointCoordinator {
    private final Object lock = new Object();
    private int pending;
    public void receiveAcknowledgeMessage(long id, String task) {
        synchronized (lock) {
            String said = "Received late message for now expired checkpoint attempt " + id
                + " from task " + task + '.';
            Runnable later = () -> System.out.println(said + pending);
            later.run();
            new Thread() { public void run() { pending = count(id); } }.start();
        }
    }
    private int count(long id) { return id > 7 ? 1 : 2; }
    void unrelated() { }
    public String toString() { return "a"; }
}
"""
GATEWAY = """
package org.apache.flink.runtime.checkpoint;
public class Gateway {
    public void acknowledge(CheckpointCoordinator to) { to.receiveAcknowledgeMessage(1, "a"); }
}
"""
TASK = """
package org.apache.flink.streaming.runtime.tasks;
public class StreamTask {
    protected void endData() { System.out.println("end"); }
}
"""
SOURCES: Mapping[str, str] = {
    "CheckpointCoordinator": COORDINATOR,
    "Gateway": GATEWAY,
    "StreamTask": TASK,
}


def built(folder: Path, sources: Mapping[str, str] = SOURCES, *options: str) -> Path:
    """Compile some classes into a new folder, and return the folder."""
    source = folder.with_name(f"{folder.name}-source")
    source.mkdir(parents=True)
    for name, text in sources.items():
        (source / f"{name}.java").write_text(text, encoding="utf-8")
    assert JAVAC is not None
    files = sorted(source.glob("*.java"))
    subprocess.run([JAVAC, "-nowarn", *options, "-d", folder, *files], check=True)
    return folder
