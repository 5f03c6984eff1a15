"""What is said of findings that are none in some order of the lines of several processes."""

from __future__ import annotations

from finale.checker.logs.findings import Finding, Severity, Where
from finale.checker.logs.validate import left_open


def finding(name: str, about: str, line: int) -> Finding:
    return Finding(name, (("task", about),), Where(1, 0, line), Severity.VIOLATED, "")


def test_each_property_is_named_with_its_first_line() -> None:
    kept = finding("legal-never-fails", "src (1/2)", 5)
    gone = [
        finding("legal-never-fails", "map (1/2)", 7),
        finding("legal-never-fails", "map (2/2)", 9),
        finding("finish-before-close", "co (1/1)", 8),
    ]
    told = list(left_open([kept, *gone], [kept]))
    assert [(each.where.line, each.text.partition(": ")[0]) for each in told] == [
        (7, "legal-never-fails(map (1/2)), and for 1 more"),
        (8, "finish-before-close(co (1/1))"),
    ]
    assert not list(left_open([kept], [kept]))
