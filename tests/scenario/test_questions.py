"""Whatever a scenario does or asks, a mistake in it is told, and never breaks Finale itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.scenario.benches import BENCHES
from finale.checker.scenario.running import CaseRun, run_file
from finale.checker.spec.catalogue import catalogue
from finale.model.errors import FinaleError, Place

KNOWN = catalogue(None)
JOB = "job: S r1; W p2 keyed; S -> W\n"
#: Keys that a part needs, and something that is done to it.
PARTS = {
    "plan": (JOB, "plan"),
    "aligned-handler": ("", "B1@0"),
    "unaligned-handler": ("", "B1@0"),
    "timed-handler": ("", "B1@0"),
    "tracker": ("", "B1@0"),
    "coordinator": (JOB, "trig 1"),
    "task": ("", "trigger 1"),
    "chained-task": ("", "trigger 1"),
    "sink": ("", "record a; snap 1"),
    "run": (JOB, "trig"),
    "graph-check": (JOB, "check"),
    "metadata": (JOB, "write"),
    "gateway": ("", "trig 1"),
    "start": (JOB, "start"),
    "persister": ("", "start 1"),
}
ASKED = [
    (part, query, signature)
    for part, bench in BENCHES.items()
    for query, signature in bench.queries.items()
]
DONE = [
    (part, word, signature)
    for part, bench in BENCHES.items()
    for word, signatures in bench.commands.items()
    for signature in signatures
]
WRITTEN = {
    "ID": ("1", "7"),
    "NAME": ("zz", "0", "S", "W", "W[5]", "all", "-"),
    "WORD": ("zz", "fully", "-"),
    "NAMES": ("zz", "0", "S", "W[0]", "W[5]", "W[1..9]", "W[x]", "a B7", "all", "-"),
}


def run(folder: Path, part: str, line: str) -> list[CaseRun]:
    keys, _ = PARTS[part]
    file = folder / "a.scenario"
    file.write_text(f"title: a\npart: {part}\n{keys}\n{line}\n", encoding="utf-8")
    return run_file(file, KNOWN)


def mistake(folder: Path, part: str, seen: str) -> FinaleError:
    """What is wrong with a question."""
    line = f"{PARTS[part][1]} => {seen}"
    with pytest.raises(FinaleError) as raised:
        run(folder, part, line)
    place = raised.value.place
    assert place is not None
    assert place.file is not None
    assert Path(place.file).read_text(encoding="utf-8").splitlines()[(place.line or 0) - 1] == line
    return raised.value


@pytest.mark.parametrize(("part", "query", "signature"), ASKED)
def test_a_question_says_what_it_asks_about(
    part: str, query: str, signature: str, tmp_path: Path
) -> None:
    if not signature:
        run(tmp_path, part, f"{PARTS[part][1]} => {query} x")
        return
    told = mistake(tmp_path, part, query)
    assert (told.code, f"write {query} {signature}," in told.advice) == ("bad-question", True)
    if signature == "ID":
        assert mistake(tmp_path, part, f"{query} x").code == "bad-question"
        assert mistake(tmp_path, part, f"{query} W[0] S").code == "bad-question"
        assert mistake(tmp_path, part, f"{query} 7").code == "unknown-id"
    else:
        assert mistake(tmp_path, part, f"{query} zz").code == "unknown-task"
        assert mistake(tmp_path, part, f"{query} -").code == "unknown-task"


@pytest.mark.parametrize("query", ["kept all", "kept W", "kept S", "replays W"])
def test_a_question_about_one_task_names_one_that_has_an_answer(query: str, tmp_path: Path) -> None:
    assert mistake(tmp_path, "start", query).code == "unknown-task"


@pytest.mark.parametrize(("part", "word", "signature"), DONE)
def test_a_command_is_done_or_told_to_be_wrong(
    part: str, word: str, signature: str, tmp_path: Path
) -> None:
    kinds = signature.split()
    places: list[Place | None] = []
    for position in range(max(len(written) for written in WRITTEN.values())):
        chosen = [WRITTEN.get(kind, (kind,)) for kind in kinds]
        line = " ".join((word, *(each[position % len(each)] for each in chosen)))
        for before in ("", f"{PARTS[part][1]}; "):
            try:
                run(tmp_path, part, f"{before}{line} => -")
            except FinaleError as error:
                places.append(error.place)
    assert {place and place.file for place in places} <= {str(tmp_path / "a.scenario")}
