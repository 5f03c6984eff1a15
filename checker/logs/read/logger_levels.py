"""Writes the configuration of a logging library with which a log tells most."""

from __future__ import annotations

from .line_patterns import LEVELS, PatternTable

#: Lines of such loggers are helpful to a reader, and nothing is judged by them.
_NEEDLESS = ("DefaultCheckpointStatsTracker", "AdaptiveScheduler")


def levels_needed(table: PatternTable) -> dict[str, str]:
    """Of loggers with lines below INFO: the whole name, and the level at which all are written."""
    found: dict[str, str] = {}
    for logger, patterns in table.loggers.items():
        level = min((each.levels[0] for each in patterns), key=LEVELS.index)
        if LEVELS.index(level) < LEVELS.index("INFO") and logger not in _NEEDLESS:
            found[f"{table.packages[logger]}.{logger}"] = level
    return found


def log4j2(table: PatternTable) -> str:
    """What to add to a `log4j.properties` of Log4j 2, as Flink has it in `conf/`."""
    lines = [
        f"# {table.engine} {table.release}: lines from which finale validate decides most.",
        "# Some ten lines a task and checkpoint, and none a record.",
        "# Threads: without them nobody knows which task waits for its final checkpoint. This line",
        "# is there already: replace it, in each appender.",
        "appender.main.layout.pattern = %d{yyyy-MM-dd HH:mm:ss,SSS} %-5p %c [%t] - %m%n",
        "",
    ]
    for name, level in sorted(levels_needed(table).items()):
        short = name.rpartition(".")[2].lower()
        lines += [f"logger.finale_{short}.name = {name}", f"logger.finale_{short}.level = {level}"]
    return "\n".join(lines) + "\n"
