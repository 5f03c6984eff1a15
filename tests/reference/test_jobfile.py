"""Job files: what they may say of operators, and what is refused, by its key."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.reference.formats.jobfile import JobFile, read_job
from finale.reference.operators.kinds import CHECKS, KINDS, OF_ALL
from finale.reference.protocols import ENGINES

ALL = """
[operators.rows]
kind = "csv"
path = "*.csv"
separator = ";"
types = { n = "number" }
time = "t"
out-of-order = 3
on-bad = "keep"
follow = true

[operators.more]
kind = "ndjson"
path = "*.csv"

[operators.joined]
kind = "join"
key = "k"
from = ["rows", "more"]

[operators.kept]
kind = "filter"
equals = 3
from = ["rows"]

[operators.names]
kind = "map"
fields = ["k"]
from = ["kept"]

[operators.sums]
kind = "aggregate"
aggregate = "sum"
field = "n"
from = ["rows"]

[operators.late]
kind = "window"
key = "k"
time = "t"
size = 3
from = ["rows"]
"""


def job(folder: Path, text: str) -> JobFile:
    (folder / "1.csv").touch()
    (folder / "job.toml").write_text(text)
    return read_job(folder / "job.toml")


def test_a_job_says_what_its_operators_are(tmp_path: Path) -> None:
    read = job(tmp_path, ALL)
    assert [read.kind(each) for each in read.job.vertices][:3] == ["csv", "ndjson", "join"]
    assert not read.job.vertex("rows").bounded
    assert read.job.vertex("more").bounded
    assert read.inputs(read.job.vertex("rows")) == ["1.csv"]


def test_the_second_input_of_a_lookup_goes_to_all(tmp_path: Path) -> None:
    read = job(tmp_path, ALL.replace('"join"', '"lookup"'))
    both = read.job.edges_into(read.job.vertex("joined"))
    assert [each.broadcast for each in both] == [False, True]
    assert [read.partitioner(each) is None for each in both] == [False, True]


@pytest.mark.parametrize(
    ("old", "new", "code", "key"),
    [
        ('separator = ";"', 'separator = ";;"', "bad-value", "rows.separator"),
        ('n = "number"', 'n = "date"', "bad-value", "rows.types"),
        ("out-of-order = 3", "out-of-order = -1", "bad-value", "rows.out-of-order"),
        ("out-of-order = 3", "out-of-order = true", "bad-value", "rows.out-of-order"),
        ('on-bad = "keep"', 'on-bad = "drop"', "bad-value", "rows.on-bad"),
        ("follow = true", 'follow = "true"', "bad-value", "rows.follow"),
        ('from = ["rows", "more"]', 'from = ["rows"]', "bad-value", "joined.from"),
        ('key = "k"\nfrom', "from", "missing-key", "joined.key"),
        ('kind = "join"', 'kind = "join"\nparallelism = 129', "bad-value", "joined.parallelism"),
        ("equals = 3", "", "missing-key", "kept.function"),
        ("equals = 3", 'equals = 3\nmatches = "3"', "missing-key", "kept.function"),
        ("equals = 3", 'matches = "("', "bad-value", "kept.matches"),
        ("equals = 3", 'equals = 3\nfields = ["a"]', "unknown-key", "kept.fields"),
        ('fields = ["k"]', "fields = []", "bad-value", "names.fields"),
        ('"sum"\nfield = "n"', '"sum"', "missing-key", "sums.field"),
        ('aggregate = "sum"', 'aggregate = "mean"', "bad-value", "sums.aggregate"),
        ("size = 3", "size = 0", "bad-value", "late.size"),
        ("size = 3", 'size = 3\naggregate = "max"', "missing-key", "late.field"),
        ("[operators.late]", '[operators."../late"]', "bad-name", "../late"),
        ("[operators.late]", '[operators."a~bad"]', "bad-name", "a~bad"),
    ],
)  # fmt: skip
def test_what_an_operator_cannot_be_is_refused(
    tmp_path: Path, old: str, new: str, code: str, key: str
) -> None:
    assert ALL.count(old) == 1
    with pytest.raises(FinaleError) as caught:
        job(tmp_path, ALL.replace(old, new))
    assert caught.value.code == code
    assert caught.value.place is not None
    assert caught.value.place.key == f"operators.{key}"
    assert caught.value.place.file == str(tmp_path / "job.toml")


def test_each_key_of_an_operator_is_checked_and_told() -> None:
    """In one place what it may be, and on one page what it means."""
    page = (Path(__file__).parents[2] / "docs" / "operators.md").read_text()
    # A value of any kind is compared with.
    keys = {key for kind in KINDS.values() for key in kind.keys} - {"equals"}
    assert keys == set(CHECKS)
    rows = [line for line in page.splitlines() if line.startswith("|")]
    for word, kind in KINDS.items():
        assert any(f"`{word}`" in row.split("|")[1] for row in rows), word
        assert all(f"`{key}`" in page for key in {*kind.keys} - {*OF_ALL}), word


SHAPED = """
[operators.lines]
kind = "lines"
path = "1.csv"

[operators.words]
kind = "words"
from = ["lines"]

[operators.out]
kind = "exactly-once"
from = ["words"]
"""


@pytest.mark.parametrize(
    ("old", "new", "code", "key"),
    [
        (SHAPED, "", "job-empty", ""),
        ('["lines"]', '["words"]', "job-cycle", ".words.from"),
        ('["lines"]', '["lines", "lines"]', "duplicate-edge", ".words.from"),
        ('["lines"]', '["out"]', "sink-with-output", ".out.kind"),
        ('["lines"]', '["nobody"]', "unknown-vertex", ".words.from"),
        ('\nfrom = ["lines"]', "", "source-missing", ".words.from"),
        ('\nfrom = ["words"]', "", "sink-without-input", ".out.from"),
    ],
)
def test_a_job_without_a_shape_is_told_in_its_own_words(
    tmp_path: Path, old: str, new: str, code: str, key: str
) -> None:
    assert SHAPED.count(old) == 1
    with pytest.raises(FinaleError) as caught:
        job(tmp_path, SHAPED.replace(old, new))
    error = caught.value
    assert error.code == code
    assert error.place is not None
    assert error.place.key == f"operators{key}"
    for word in ("vertex", "pass-through", "records =", "shape", "modelled", "job."):
        assert word not in f"{error.message} {error.advice}".replace("job.toml", "")


@pytest.mark.parametrize(
    ("name", "kind", "code"),
    [
        ("out-1", "at-least-once", "same-output"),
        ("out-12", "at-least-once", "same-output"),
        ("out-a", "at-least-once", None),
        ("lines-1", "at-least-once", None),
        ("out-1", "exactly-once", None),
    ],
)
def test_two_sinks_do_not_write_one_file(
    tmp_path: Path, name: str, kind: str, code: str | None
) -> None:
    text = f'{SHAPED}\n[operators.{name}]\nkind = "{kind}"\nfrom = ["words"]\n'
    if code is None:
        assert job(tmp_path, text).job.vertex(name).is_sink
        return
    with pytest.raises(FinaleError) as caught:
        job(tmp_path, text)
    assert caught.value.code == code
    assert caught.value.place is not None
    assert caught.value.place.key == f"operators.{name}"


@pytest.mark.parametrize("name", ["a[1]", "b*", "c?"])
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    read = job(folder, SHAPED.replace("1.csv", "[0-9].csv"))
    assert read.inputs(read.job.vertex("lines")) == ["1.csv"]


def test_a_protocol_says_what_barriers_do(tmp_path: Path) -> None:
    with pytest.raises(FinaleError) as caught:
        job(tmp_path, f'protocol = "final-checkpoint"\nbarriers = "unaligned"\n{SHAPED}')
    assert caught.value.code == "two-protocols"
    assert caught.value.place is not None
    assert caught.value.place.key == "barriers"


@pytest.mark.parametrize("protocol", ENGINES)
def test_each_protocol_that_is_taken_is_told(tmp_path: Path, protocol: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "running.md").read_text()
    assert f'| `"{protocol}"` |' in page
    assert job(tmp_path, f'protocol = "{protocol}"\n{SHAPED}').engine.key == protocol


@pytest.mark.parametrize("protocol", ["yardstick", "chained-sources", "barrier-collection"])
def test_a_protocol_that_the_engine_has_not_is_refused(tmp_path: Path, protocol: str) -> None:
    with pytest.raises(FinaleError) as caught:
        job(tmp_path, f'protocol = "{protocol}"\n{SHAPED}')
    assert caught.value.code == "no-engine"
