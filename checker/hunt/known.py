"""The known violations: specs that expect one of the rules as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from checker.search.answer import NO_DEADLOCK, WELL_FORMED, Violated
from checker.search.limits import Limits
from checker.search.run import run
from checker.spec.catalogue import Catalogue
from checker.spec.claim import Spec
from checker.spec.reading import read_spec
from checker.spec.toml_text import toml_in
from checker.spec.typed import is_list, is_table
from model.errors import FinaleError
from model.system import Kind

from .signature import Signature, signature_of


#: Claims that hold of every protocol, and are asked on request alone because they take time.
FURTHER = ("alignment-can-end", "blocked-channel-resumes", "cancel-cancels")


@dataclass(frozen=True)
class Known:
    """The signature of a known violation, and the spec that shows it."""

    signature: Signature
    spec: str


def files_of_known(folder: Path, protocols: Sequence[str]) -> Iterator[Path]:
    """Yield the specs of some protocols that expect a violation of the rules as they are.

    A spec of a variant is about another protocol. A slow spec takes long to search.
    """
    for file in sorted(folder.rglob("*.toml")):
        try:
            table, _ = toml_in(file)
        except FinaleError:
            continue
        if "variant" in table or "without" in table or table.get("slow") is True:
            continue
        rows = table.get("expect")
        expected = rows if is_list(rows) else []
        falls = any(is_table(row) and row.get("verdict") == Violated.word for row in expected)
        if falls and table.get("protocol") in protocols:
            yield file


def known_in(file: Path, catalogue: Catalogue, limits: Limits) -> tuple[Known, ...]:
    """Return the signatures of all claims that fall in a spec."""
    spec = read_spec(file, catalogue)
    return tuple(Known(each, file.stem) for each, _ in signatures_in(spec, limits)[0])


def signatures_in(spec: Spec, limits: Limits) -> tuple[tuple[tuple[Signature, int], ...], int, str]:
    """Return the signatures of all claims that fall, with the lengths of the counterexamples.

    And the number of states, and the limit that stopped the search, if one did.
    """
    names = {each.name for each in spec.families} & {*FURTHER, *(e.name for e in spec.asked)}
    result = run(spec, limits, only={*names, NO_DEADLOCK, WELL_FORMED})
    report = result.report
    if report.stopped == "interrupted":
        raise KeyboardInterrupt
    found: list[tuple[Signature, int]] = []
    kinds = {each.name: each.kind for each in spec.families}
    for answer in report.answers:
        verdict = answer.verdict
        kind = kinds.get(answer.property)
        if kind is Kind.REACHABLE:
            continue
        if isinstance(verdict, Violated) and verdict.trace is not None and result.system:
            signature = signature_of(result.system, answer.property, verdict.trace, verdict.binding)
            found.append((signature, verdict.trace.length))
    return tuple(found), report.statistics.states, report.stopped


__all__ = ["Known", "files_of_known", "known_in", "signatures_in"]
