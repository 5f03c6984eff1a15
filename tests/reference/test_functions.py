"""Functions that users write: where they are found, what they may do, and what is refused."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import finale
from finale.cli.main import main
from finale.model.errors import FinaleError
from finale.reference.formats.files import MemoryFiles
from finale.reference.formats.jobfile import read_job
from finale.reference.formats.snapshots import CheckpointStore
from finale.reference.operators.aggregates import CountByKey
from finale.reference.operators.base import Context, Operator
from finale.reference.operators.functions import Filter, FlatMap, Map
from finale.reference.runner import Orders, run

MAPPED = """
[operators.rows]
kind = "ndjson"
path = "rows"

[operators.mapped]
kind = "map"
function = "FUNCTION"
from = ["rows"]

[operators.out]
kind = "exactly-once"
from = ["mapped"]

[operators.others]
kind = "exactly-once"
from = ["rows"]
"""


def job(folder: Path, function: str, **modules: str) -> Path:
    """A job whose rows are mapped, while others read them, too."""
    (folder / "rows").write_text('{"a": [1]}\n' * 3)
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "job.toml").write_text(MAPPED.replace("FUNCTION", function))
    return folder / "job.toml"


def written(state: Path, sink: str) -> list[str]:
    return [line for file in state.glob(f"output/{sink}-*") for line in file.read_text().split()]


def refused(make: Callable[..., Operator], record: Any) -> FinaleError:
    operator = make(Context("D", MemoryFiles()))
    with pytest.raises(FinaleError) as caught:
        operator.process(0, [record], lambda _: None)
    return caught.value


@pytest.mark.parametrize("threads", [False, True])
def test_a_function_may_change_its_record_and_others_do_not_see_it(
    tmp_path: Path, threads: bool
) -> None:
    changes = "def more(row):\n    row['a'][0] += 1\n    return row['a']\n"
    file = job(tmp_path, "changes:more", changes=changes)
    run(read_job(file), tmp_path / "state", None, Orders(threads=threads))
    assert written(tmp_path / "state", "out") == ["[2]"] * 3
    assert "".join(written(tmp_path / "state", "others")) == '{"a":[1]}' * 3


@pytest.mark.parametrize("make", [Map, FlatMap, Filter])
def test_each_kind_calls_functions_with_records_of_their_own(make: Callable[..., Operator]) -> None:
    def changed(record: Any) -> Any:
        record[0]["n"] = 2
        return record

    records = ([{"n": 1}], ({"n": 1},))
    operator = make(Context("D", MemoryFiles()), function=changed)
    operator.process(0, records, lambda _: None)
    assert records == ([{"n": 1}], ({"n": 1},))


@pytest.mark.parametrize("threads", [False, True])
def test_a_function_does_not_end_the_program(tmp_path: Path, threads: bool) -> None:
    file = job(tmp_path, "leaves:leave", leaves="import sys\n\ndef leave(row):\n    sys.exit(0)\n")
    with pytest.raises(FinaleError) as caught:
        run(read_job(file), tmp_path / "state", None, Orders(threads=threads))
    assert caught.value.code == "operator-raised"
    assert "leaves:leave raised SystemExit: 0" in caught.value.message


class Strange:
    """Says neither yes nor no, and what it is called with is too much."""

    def __bool__(self) -> bool:
        raise ValueError("neither")

    def __call__(self, record: Any) -> Any:
        raise ValueError("no")


def raises(record: Any, other: int) -> Any:
    raise ValueError(other)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (partial(Map, function=partial(raises, other=1)), "raises raised"),
        (partial(Map, function=Strange()), "Strange raised"),
        (partial(Filter, function=lambda _: Strange()), "raised ValueError: neither"),
    ],
)
def test_whatever_is_called_is_named_when_it_raises(
    make: Callable[..., Operator], named: str
) -> None:
    error = refused(make, "x")
    assert error.code == "operator-raised"
    assert named in error.message


LOUD = """import json; from finale.model.language import refusals

def called(line):
    return json.loads(line)

def split(line):
    raise ValueError("one\\n\\n  two")

def through(line):
    return refusals.call(json.loads, line)
"""


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("loud:split", "loud:split raised ValueError: one two, in {loud}:7, for 'text'"),
        ("loud:called", "char 0), in {loud}:4, for 'text'"),
        ("loud:through", "char 0), in {loud}:10, for 'text'"),
        ("math:sqrt", "raised TypeError: must be real number, not str, for 'text'"),
    ],
)
def test_where_a_function_has_raised_is_told(
    tmp_path: Path, function: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line is that of the user's own module, not of what it has called of others."""
    file, state = job(tmp_path, function, loud=LOUD), tmp_path / "state"
    (tmp_path / "rows").write_text('"text"\n')
    assert main(["engine", "run", str(file), "--directory", str(state)]) == 2
    first, help_ = capsys.readouterr().err.splitlines()
    assert first.startswith(f"error[operator-raised]: {file} (key operators.mapped.function): ")
    assert first.endswith(said.format(loud=tmp_path / "loud.py"))
    assert help_.endswith("run the job again: it begins anew, for no checkpoint was complete yet")


def test_from_where_the_job_goes_on_is_told_where_something_is_secured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 2)
    file, state = job(tmp_path, "loud:half", loud="def half(n):\n    return 1 / n\n"), tmp_path
    file.write_text(f"records = 1\n{file.read_text()}")
    (tmp_path / "rows").write_text("1\n" * 30 + "0\n")
    assert main(["engine", "run", str(file), "--directory", str(state / "one")]) == 2
    newest = max(int(each.name) for each in (state / "one" / "checkpoints").iterdir())
    help_ = capsys.readouterr().err.splitlines()[-1]
    assert help_ == f"  help: mend it, and run the job again: it goes on from checkpoint {newest}"
    (tmp_path / "rows").write_text("1\n" * 10)
    assert (
        main(["engine", "run", str(file), "--directory", str(state / "two"), "--stop", "suspend"])
        == 0
    )
    (tmp_path / "rows").write_text("1\n" * 30 + "0\n")
    saved = max((state / "two" / "checkpoints").iterdir(), key=lambda each: int(each.name))
    assert (
        main(["engine", "run", str(file), "--directory", str(state / "new"), "--from", str(saved)])
        == 2
    )
    help_ = capsys.readouterr().err.splitlines()[-1]
    assert "run the job again without --from: it goes on from checkpoint " in help_


LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    "made", [{1: "x", "b": 1}, {"a": [{2}]}, [(object(),)], {"a": {None: 1}}, LOOP]
)
def test_what_a_function_makes_is_plain_all_through(made: Any) -> None:
    assert refused(partial(Map, function=lambda _: made), 1).code == "bad-record"
    assert refused(partial(FlatMap, function=lambda _: [made]), 1).code == "bad-record"


def test_a_key_that_cannot_be_written_is_named() -> None:
    error = refused(CountByKey, [1, {2}])
    assert error.code == "bad-record"
    assert "[1, {2}]" in error.message
    assert refused(CountByKey, {1: "x", "b": 1}).code == "bad-record"


def test_a_state_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(FinaleError) as caught:
        CheckpointStore(MemoryFiles()).put(1, "D", {1: "x", "b": 1})
    assert caught.value.code == "bad-record"
    assert '"D"' in caught.value.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(:\n", "SyntaxError"),
        ("import sys\nsys.exit(0)\n", "SystemExit"),
        ("1 / 0\n", "ZeroDivisionError"),
        ("import nowhere_at_all\n", "No module named 'nowhere_at_all', in /"),
        ("\nraise ValueError('one\\ntwo')\n", "ValueError: one two, in /"),
        ("\nraise ValueError\n", "cannot be found: ValueError, in /"),
        ("f = 3\n", "3, and no function"),
        ("g = 3\n", "no attribute 'f'"),
    ],
)
def test_a_module_that_cannot_be_loaded_is_told(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(FinaleError) as caught:
        read_job(job(tmp_path, "wrong:f", wrong=text))
    assert caught.value.code == "no-function"
    assert said in caught.value.message
    assert caught.value.place is not None
    assert caught.value.place.key == "operators.mapped.function"


@pytest.mark.parametrize("said", [":f", "f", "module:", "a:b:c"])
def test_what_is_no_name_of_a_function_is_refused(tmp_path: Path, said: str) -> None:
    with pytest.raises(FinaleError) as caught:
        read_job(job(tmp_path, said))
    assert caught.value.code == "bad-value"


def test_a_users_modules_may_be_called_as_those_that_finale_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of ours that are not loaded yet can still be loaded, too."""
    own = {"finale": "from z3 import TWO\ndef f(row):\n    return TWO\n", "z3": "TWO = 2"}
    for name in [each for each in sys.modules if each.partition(".")[0] == "z3"]:
        monkeypatch.delitem(sys.modules, name)
    before, path = dict(sys.modules), list(sys.path)
    read = read_job(job(tmp_path, "finale:f", **own))
    assert read.functions["mapped"](None) == 2
    assert sys.modules["finale"] is finale
    assert sys.modules == before
    assert sys.path == path


def test_python_has_its_own_modules_but_for_one_that_is_asked_for(tmp_path: Path) -> None:
    import json

    own = {"json": "import csv\ndef f(row):\n    return csv.__file__\n", "csv": "1 / 0"}
    read = read_job(job(tmp_path, "json:f", **own))
    assert Path(read.functions["mapped"](None)).parent != tmp_path
    assert sys.modules["json"] is json


def test_two_jobs_have_modules_of_one_name(tmp_path: Path) -> None:
    made: list[Any] = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        file = job(folder, "same_name:f", same_name=f"def f(row):\n    return {number}\n")
        made.append(read_job(file).functions["mapped"](None))
    assert made == [1, 2]
