"""Jobs of all operators: what they write, wherever they are cut off, against plain computations."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from finale.model.errors import FinaleError
from finale.reference.formats.faulty import FaultyFiles, ProcessEnds
from finale.reference.formats.files import MemoryFiles
from finale.reference.formats.jobfile import JobFile, read_job
from finale.reference.formats.snapshots import CheckpointStore
from finale.reference.runner import Runner

OUT = '\n[operators.out]\nkind = "exactly-once"\nfrom = ["%s"]\nparallelism = 2\n'
FUNCTIONS = """
def is_odd(record):
    return record["n"] % 2 == 1

def twice(record):
    return [record, record]

def total(record):
    return {"k": record["k"], "n": record["n"] + 1}
"""


def table(name: str, **keys: Any) -> str:
    """An operator of a job file."""
    said = "".join(f"{key.replace('_', '-')} = {json.dumps(keys[key])}\n" for key in keys)
    return f"\n[operators.{name}]\n{said}"


def made(folder: Path, text: str, mode: str = "aligned", last: str = "end") -> JobFile:
    (folder / "own.py").write_text(FUNCTIONS)
    file = folder / "job.toml"
    file.write_text(f'seconds = 1e-9\nbarriers = "{mode}"\n{text}{OUT % last}')
    return read_job(file)


def rows(seed: int, count: int) -> list[dict[str, Any]]:
    """Records whose times go up, but for a few steps back."""
    dice = random.Random(seed)
    return [
        {"k": dice.choice("abcdef"), "n": n, "t": n + dice.randint(-3, 0)} for n in range(count)
    ]


def write_json(path: Path, records: Iterable[Any]) -> None:
    path.write_text("".join(json.dumps(each) + "\n" for each in records))


def write_csv(path: Path, records: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(records[0]))
        writer.writeheader()
        writer.writerows(records)


def lines(files: MemoryFiles, folder: str = "output") -> list[str]:
    return [line for n in files.under(folder) for line in files.read(n).decode().splitlines()]


def ran(job: JobFile, at: int | None = None, *, goes_on: bool = True) -> tuple[MemoryFiles, int]:
    """What is on disk after a run that was cut at a moment and gone on; and the moments it had."""
    files = MemoryFiles()
    faulty = FaultyFiles(files, at)
    try:
        Runner(job, faulty).run()
    except ProcessEnds:
        if goes_on:
            Runner(job, files).run()
    return files, faulty.moments


# --- jobs, and what they are to write -------------------------------------------------------------


def counted(records: Iterable[Any]) -> Counter[str]:
    return Counter(json.dumps(each, sort_keys=True) for each in records)


def windows(folder: Path) -> tuple[str, Counter[str]]:
    one, other = rows(1, 60), rows(2, 40)
    write_csv(folder / "1.csv", one)
    write_csv(folder / "2.csv", other)
    text = table("rows", kind="csv", path="*.csv", time="t", out_of_order=4, parallelism=2)
    text = text.replace("parallelism", 'types = { n = "number" }\nparallelism')
    text += table("end", kind="window", key="k", time="t", size=7, aggregate="sum", field="n",
                  parallelism=2) + "from = [\"rows\"]\n"  # fmt: skip
    sums: Counter[tuple[str, int]] = Counter()
    for row in one + other:
        sums[row["k"], row["t"] // 7 * 7] += row["n"]
    keys = {(row["k"], row["t"] // 7 * 7) for row in one + other}
    told = ({"key": k, "from": t, "to": t + 7, "sum": sums[k, t]} for k, t in keys)
    return text, counted(told)


def joined(folder: Path) -> tuple[str, Counter[str]]:
    left, right = rows(3, 30), rows(4, 20)
    write_json(folder / "left.ndjson", left)
    write_json(folder / "right.ndjson", right)
    text = table("left", kind="ndjson", path="left.ndjson")
    text += table("right", kind="ndjson", path="right.ndjson", parallelism=2)
    text += table("end", kind="join", key="k", parallelism=3) + 'from = ["left", "right"]\n'
    pairs = [(one, other) for one in left for other in right if one["k"] == other["k"]]
    return text, counted({"key": one["k"], "left": one, "right": two} for one, two in pairs)


def looked_up(folder: Path) -> tuple[str, Counter[str]]:
    facts, names = rows(5, 40), {"a": "Anna", "b": "Berta", "x": "Xaver"}
    write_json(folder / "facts.ndjson", facts)
    write_csv(folder / "names.csv", [{"k": key, "name": name} for key, name in names.items()])
    text = table("facts", kind="ndjson", path="facts.ndjson")
    text += table("names", kind="csv", path="names.csv")
    text += table("end", kind="lookup", key="k", parallelism=2) + 'from = ["facts", "names"]\n'
    right = {key: {"k": key, "name": name} for key, name in names.items()}
    return text, counted(
        {"key": fact["k"], "left": fact, "right": right.get(fact["k"])} for fact in facts
    )


def called(folder: Path) -> tuple[str, Counter[str]]:
    records = rows(6, 50)
    write_json(folder / "1.ndjson", records)
    text = table("rows", kind="ndjson", path="*.ndjson")
    text += table("odd", kind="filter", function="own:is_odd", parallelism=2) + 'from = ["rows"]\n'
    text += table("both", kind="flat-map", function="own:twice") + 'from = ["odd"]\n'
    text += table("more", kind="map", function="own:total", parallelism=2) + 'from = ["both"]\n'
    text += table("end", kind="filter", field="k", matches="[a-c]") + 'from = ["more"]\n'
    odd = [row for row in records if row["n"] % 2 and row["k"] in "abc"]
    return text, counted({"k": row["k"], "n": row["n"] + 1} for row in odd + odd)


def each_count(folder: Path) -> tuple[str, Counter[str]]:
    texts = ["a b c a", "b a", "c c A"] * 8
    (folder / "1.txt").write_text("\n".join(texts))
    text = table("lines", kind="lines", path="*.txt")
    text += table("words", kind="words", parallelism=2) + 'from = ["lines"]\n'
    text += table("held", kind="buffer", number=3) + 'from = ["words"]\n'
    text += table("end", kind="aggregate", aggregate="count", emit="each", parallelism=2)
    text += 'from = ["held"]\n'
    counts = Counter(" ".join(texts).lower().split())
    return text, counted(
        {"key": word, "count": n + 1} for word in counts for n in range(counts[word])
    )


JOBS: list[Callable[[Path], tuple[str, Counter[str]]]] = [
    windows, joined, looked_up, called, each_count
]  # fmt: skip


@pytest.mark.parametrize("mode", ["aligned", "unaligned"])
@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("every", [47, pytest.param(1, marks=pytest.mark.slow)])
def test_a_job_writes_what_it_is_to_wherever_it_is_cut(
    tmp_path: Path,
    job: Callable[[Path], tuple[str, Counter[str]]],
    mode: str,
    every: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 150)
    text, wanted = job(tmp_path)
    read = made(tmp_path, text, mode)
    files, moments = ran(read)
    assert counted(map(json.loads, lines(files))) == wanted
    assert moments > every
    for at in range(every // 2, moments, every):
        files, _ = ran(read, at)
        assert counted(map(json.loads, lines(files))) == wanted
        assert not files.under("pending")


def test_numbers_are_given_once_wherever_a_job_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 30)
    (tmp_path / "1.txt").write_text("".join(f"line {n}\n" for n in range(40)))
    text = table("lines", kind="lines", path="*.txt")
    text += table("end", kind="number", parallelism=3) + 'from = ["lines"]\n'
    job = made(tmp_path, text)
    for at in range(0, ran(job)[1], 41):
        told = [json.loads(line) for line in lines(ran(job, at)[0])]
        assert len({each["number"] for each in told}) == 40
        assert Counter(each["record"] for each in told) == {f"line {n}": 1 for n in range(40)}


def test_what_is_bad_or_late_is_kept_once_wherever_a_job_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 60)
    good = [{"k": "a", "t": n if n % 9 else 0} for n in range(40)]
    written = [json.dumps(each) for each in good]
    bad = ["no json", '{"k": "b"}', '{"k": 1, "t": 1}']
    for number, line in enumerate(bad):
        written.insert(7 * number, line)
    (tmp_path / "1.ndjson").write_text("\n".join(written))
    text = table("rows", kind="ndjson", path="*.ndjson", time="t", on_bad="keep")
    text = text.replace("time", 'types = { k = "text" }\ntime')
    text += table("end", kind="window", key="k", time="t", size=5, on_late="keep", parallelism=2)
    job = made(tmp_path, text + 'from = ["rows"]\n')
    whole, moments = ran(job)
    late = lines(whole, "late")
    assert set(late) == {'{"k": "a", "t": 0}'}
    assert sum(json.loads(line)["count"] for line in lines(whole)) + len(late) == len(good)
    kept = [json.loads(line) for line in lines(whole, "bad")]
    assert {each["line"]: each["text"] for each in kept} == {1: bad[0], 8: bad[1], 15: bad[2]}
    assert [each["problem"].split(":")[0] for each in sorted(kept, key=lambda e: e["line"])] == [
        "the line is not JSON", 'the line has no "t"', '"k" is 1, and not a text'
    ]  # fmt: skip
    for at in range(0, moments, 41):
        files, _ = ran(job, at)
        for folder in ("output", "late", "bad"):
            assert sorted(lines(files, folder)) == sorted(lines(whole, folder))


def test_a_source_that_has_finished_stays_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each start comes to a checkpoint, which knows of it by the one before alone."""
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 2)
    (tmp_path / "1.txt").write_text("once\n")
    (tmp_path / "2.txt").write_text("".join(f"{n}\n" for n in range(60)))
    text = table("short", kind="lines", path="1.txt") + table("long", kind="lines", path="2.txt")
    text += table("end", kind="buffer", number=1) + 'from = ["short", "long"]\n'
    job, at, before = made(tmp_path, text), 0, MemoryFiles()
    while {True} not in finished(before):
        at += 10
        before = ran(job, at, goes_on=False)[0]
    for at in range(0, 60, 8):
        files = MemoryFiles()
        files.contents.update(before.contents)
        with pytest.raises(ProcessEnds):
            Runner(job, FaultyFiles(files, at)).run()
        Runner(job, files).run()
        assert Counter(lines(files)) == {"once": 1} | {f"{n}": 1 for n in range(60)}


def test_a_file_for_a_source_that_has_finished_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To one that still reads files may be added."""
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 2)
    (tmp_path / "short1.txt").write_text("once\n")
    (tmp_path / "long1.txt").write_text("".join(f"{n}\n" for n in range(60)))
    text = table("short", kind="lines", path="short*.txt")
    text += table("long", kind="lines", path="long*.txt", parallelism=2)
    text += table("end", kind="buffer", number=1) + 'from = ["short", "long"]\n'
    job, files, at = made(tmp_path, text), MemoryFiles(), 0
    while {True} not in finished(files):
        at += 10
        files = ran(job, at, goes_on=False)[0]
    contents = dict(files.contents)
    (tmp_path / "short2.txt").write_text("twice\n")
    with pytest.raises(FinaleError) as caught:
        Runner(made(tmp_path, text), files)
    assert caught.value.code == "input-added"
    assert str(tmp_path / "short2.txt") in str(caught.value)
    assert files.contents == contents
    (tmp_path / "short2.txt").unlink()
    Runner(made(tmp_path, text), files).run()
    assert Counter(lines(files)) == {"once": 1} | {f"{n}": 1 for n in range(60)}


# --- with other numbers of subtasks ---------------------------------------------------------------


def rescaled(text: str, by: int) -> str:
    """Each operator that has subtasks has as many more."""
    return re.sub(r"parallelism = (\d)", lambda found: f"parallelism = {int(found[1]) + by}", text)


@pytest.mark.parametrize("mode", ["aligned", "unaligned"])
@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("every", [53, pytest.param(2, marks=pytest.mark.slow)])
def test_a_job_goes_on_with_more_subtasks_or_fewer(
    tmp_path: Path,
    job: Callable[[Path], tuple[str, Counter[str]]],
    mode: str,
    every: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two to three to one, and what has finished in part by then as it was."""
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 150)
    text, wanted = job(tmp_path)
    moments = ran(made(tmp_path, text, mode))[1]
    changed = 0
    for at in range(every // 2, moments, every):
        files, by = MemoryFiles(), 0
        for wanted_by in (1, -1, None):
            try:
                Runner(made(tmp_path, rescaled(text, by), mode), FaultyFiles(files, at)).run()
                break
            except ProcessEnds:
                by = by if wanted_by is None or {True, False} in finished(files) else wanted_by
                changed += 1
        else:
            Runner(made(tmp_path, rescaled(text, by), mode), files).run()
        assert counted(map(json.loads, lines(files))) == wanted
    assert changed > moments // every


def finished(files: MemoryFiles) -> list[set[bool]]:
    """Which subtasks of each vertex had finished by the newest checkpoint: none, some, all."""
    store = CheckpointStore(files)
    newest = [store.snapshot(number).metadata for number in store.complete_ones()[:1]]
    vertices = [each.parts for metadata in newest for each in metadata.operators]
    return [{part.finished for part in parts} for parts in vertices]
