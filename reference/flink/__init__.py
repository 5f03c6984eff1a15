"""Drives an unmodified Flink: starts a job, holds its threads at hooks, lets them go in order.

Given an order (`order.py`: steps of the engine, and which of them come before which), this room
makes a real Flink take it, and hands on what became of the job. It knows no rule: an order can be
written by hand. Start with `director.py`, then `session.py`, and `flink-2.3.toml`, the hooks.

- `releases.py` finds a Flink, `toolchain.py` a Java; both refuse what cannot work.
- `java/Debugger.java` starts the JVM and stops its threads, through the interface that debuggers
  have (`com.sun.jdi`). It is a process of its own, so that no JVM runs inside of Python.
- `java/Job.java` is the job: a MiniCluster on loopback, which obeys commands.
- `outcome.py` says what became of requests, tasks and records.
- `programs/` has programs that show one defect each without any driver; `run.sh` runs their cases.

`python -m finale.reference.flink ORDER` takes an order again.
"""
