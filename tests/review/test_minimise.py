"""A counterexample is shrunk as far as single steps go, and what it needs is so."""

from __future__ import annotations

import json
import tomllib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import pytest

from finale.checker.report.minimised import minimised_json, minimised_lines, smallest_text
from finale.checker.review.again import rebuilt, values_to
from finale.checker.review.change import read_under
from finale.checker.review.minimise import NO_SETTING, Minimised, minimised
from finale.checker.review.smaller import plain_table, steps
from finale.checker.search.limits import Limits
from finale.checker.search.rows import SpecResult, result_of
from finale.checker.search.run import chosen, nothing_searched
from finale.checker.search.run import run as searched
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import settings_of, values_in
from finale.checker.spec.reading import read_spec
from finale.checker.spec.writing import job_table, spec_text
from finale.model.errors import FinaleError
from finale.model.topology import Job
from tests.cli.running import run
from tests.review.reviewing import PLAIN
from tests.review.test_review import MAKES, SPEC, folder_of

ROOT = Path(__file__).parent.parent.parent / "specs"
#: The bounds of a pipeline by default: none is the least one.
LARGE = {"records": 3, "channel": 2}
#: A spec of which a claim falls without an assumption.
WEAKENED = "specs/final-checkpoint/pair.toml --without is-fully-acknowledged"
SOME = sorted(ROOT.rglob("*.toml"))[::9]


def spec_of(name: str) -> Spec:
    return read_spec(ROOT / f"{name}.toml", PLAIN)


def with_values(name: str, *settings: str) -> Spec:
    return read_under(ROOT / f"{name}.toml", PLAIN, values=values_in(settings))


def text_of(found: Minimised) -> str:
    return "\n".join(line.plain for line in minimised_lines(found, 100))


def verdict_of(spec: Spec, name: str) -> Word:
    report = searched(spec, only=(name,)).report
    return next(each.word for each in report.verdicts if each.property == name)


@pytest.fixture(scope="module")
def hangs() -> Minimised:
    return minimised(spec_of("history/flink-23741"), "checkpoint-ends")


def test_it_is_smaller_and_still_falls(hangs: Minimised) -> None:
    assert (hangs.before.states, hangs.before.trace.length) == (639, 13)
    assert (hangs.after.states, hangs.after.trace.length) == (163, 9)
    assert hangs.is_least
    assert verdict_of(hangs.after.spec, "checkpoint-ends") is Word.VIOLATED
    told = tomllib.loads(smallest_text(hangs))
    assert told["job"] == {"S1": {"records": 0}, "S2": {"records": 0, "bounded": False}}
    assert told["options"] == {"final_wait": "none"}
    assert told["variant"] == "waits-for-lost-ack"


def test_the_spec_that_is_printed_is_as_expected(hangs: Minimised, tmp_path: Path) -> None:
    file = tmp_path / "smallest.toml"
    file.write_text(smallest_text(hangs))
    assert searched(read_spec(file, PLAIN)).ok


def test_each_claim_about_what_is_needed_is_so(hangs: Minimised) -> None:
    needs = [each for each in hangs.needs if each.verdict != NO_SETTING]
    assert [(each.step.part, each.step.what, each.verdict) for each in needs] == [
        ("variant", "the variant waits-for-lost-ack", "holds"),
        ("options", 'final_wait = "none"', "holds"),
        ("job", "the vertex S1", "holds"),
        ("job", "the vertex S2", "holds"),
        ("job", "bounded = false of S2", "holds"),
    ]
    for each in needs:
        file = Path("smaller.toml")
        table = {**each.step.table, "title": "smaller"}
        from finale.checker.spec.key_lines import KeyLines
        from finale.checker.spec.reading import spec_of as read

        spec = read(file, table, KeyLines(""), PLAIN)
        assert verdict_of(replace(spec, asks_all=True), "checkpoint-ends") is Word.HOLDS


def test_what_holds_cannot_be_shrunk() -> None:
    with pytest.raises(FinaleError) as caught:
        minimised(spec_of("history/fixed/flink-23741"), "checkpoint-ends")
    assert caught.value.code == "nothing-to-minimise"


def test_a_time_limit_is_told() -> None:
    found = minimised(spec_of("two-phase-commit/broken/withdraws"), "agreement", seconds=1e-9)
    assert not found.is_least
    assert found.stopped == "the limit of 1e-09 seconds"
    told = text_of(found)
    assert told.startswith("agreement: no smaller setting found")
    assert "the smallest setting so far as a spec" in told


@pytest.mark.parametrize("last", ["the step", "the variant"])
def test_a_limit_in_the_last_search_is_told(last: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = spec_of("two-phase-commit/broken/withdraws")
    all_of = minimised(spec, "agreement").searched
    left = 1 + all_of - (last == "the step")  # one more is the search of the setting itself

    def limited(spec: Spec, limits: Limits | None = None, only: tuple[str, ...] = ()) -> SpecResult:
        nonlocal left
        left -= 1
        if left:
            return searched(spec, limits, only=only)
        assert limits is not None
        monkeypatch.setattr(
            "finale.checker.search.limits.perf_counter", lambda: perf_counter() + 1e6
        )
        why = limits.seconds_word
        return result_of(spec, None, nothing_searched(why, "building", chosen(spec, only), 0), only)

    monkeypatch.setattr("finale.checker.review.minimise.run", limited)
    found = minimised(spec, "agreement", seconds=1e5)
    assert (found.stopped, found.is_least) == ("the limit of 100000 seconds", False)
    assert not minimised_json(found).least
    assert not [each for each in found.needs if each.verdict == "unknown"]
    assert "stopped: the limit of 100000 seconds. A smaller setting may exist." in text_of(found)


#: A variant in which the second worker stops alone, if somebody asks often enough.
OWN_BOUND = '''Bounds = make_dataclass("B", [("asks", int, 1)], bases=(Stop.Bounds,), frozen=True)
asked = field(Range(0, Bound("asks")), 0)

@rule
def ask(self) -> None:
    """Somebody asks. At the second time the second worker stops."""
    require(self.asked < self.bounds.asks)
    self.asked += 1
    if self.asked == 2:
        self.workers[1].stopped = True
'''


def test_a_variant_with_a_bound_of_its_own_is_needed(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, OWN_BOUND)
    other = folder / "other.py"
    other.write_text(other.read_text().replace("from .stop", f"{MAKES}\nfrom .stop"))
    file = tmp_path / "own.toml"
    file.write_text(f'{SPEC}variant = "other"\n[bounds]\nasks = 3\n')
    found = minimised(read_spec(file, catalogue(folder)), "a-before-b")
    assert [(each.step.what, each.verdict) for each in found.needs] == [
        ("the variant other", "holds"),
        ("asks = 2", "holds"),
    ]
    assert "needed  the variant other  without it the property holds" in text_of(found)


def test_a_variant_without_which_there_is_no_setting_is_told(hangs: Minimised) -> None:
    variant, *others = hangs.needs
    why = "the vertex K has no such kind"
    found = replace(hangs, needs=(replace(variant, verdict=NO_SETTING, why=why), *others))
    row = f"needed  the variant waits-for-lost-ack  no setting without it: {why}"
    assert row in text_of(found)
    needed = [(each.what, each.without) for each in minimised_json(found).needed]
    assert needed[0] == ("the variant waits-for-lost-ack", "no setting")


def test_a_variant_that_is_not_needed_is_told(hangs: Minimised) -> None:
    variant, *others = hangs.needs
    found = replace(hangs, needs=(replace(variant, verdict="violated"), *others))
    (row,) = (line for line in text_of(found).splitlines() if line.lstrip().startswith("kept"))
    assert row.split("  ")[-1] == "without it the property falls, too"


def test_a_size_becomes_smaller_than_its_default() -> None:
    spec = with_values("two-phase-commit/broken/commits-unasked", "sizes.managers=4")
    found = minimised(spec, "commits-are-decided")
    assert (found.before.spec.setting.sizes, found.after.states) == ({"managers": 4}, 16)
    assert found.is_least
    assert tomllib.loads(smallest_text(found))["sizes"] == {"managers": 1}


def test_a_bound_becomes_smaller_than_its_default() -> None:
    spec = with_values("pipeline/two-operators", "sizes.operators=3")
    assert (plain_table(spec)["bounds"], plain_table(spec)["sizes"]) == (LARGE, {"operators": 3})
    told = [(s.what, s.table["bounds"]) for s in steps(plain_table(spec), spec.protocol)]
    assert [each for each in told if each[1] != LARGE] == [
        ("records = 3, with 1", LARGE | {"records": 1}),
        ("records = 3, with 2", LARGE | {"records": 2}),
        ("channel = 2, with 1", LARGE | {"channel": 1}),
    ]
    more = with_values("pipeline/two-operators", "bounds.records=5")
    each = next(s for s in steps(plain_table(more), more.protocol) if s.part == "bounds")
    assert (each.what, each.table["bounds"]) == ("records = 5, with 3", LARGE)


def test_a_number_of_an_option_comes_down_to_its_default() -> None:
    spec = with_values("final-checkpoint/pair", "options.retained=4")
    each = [s for s in steps(plain_table(spec), spec.protocol) if s.name == "retained"]
    told = [(s.what, s.table["options"]) for s in each]
    assert told == [("retained = 4", {}), ("retained = 4, with 3", {"retained": 3})]


@pytest.mark.parametrize("name", ["final-checkpoint/figure", "unaligned/fan-in", "restore/keyed"])
def test_every_step_is_smaller(name: str) -> None:
    """No table comes again, however the steps are taken: each has less in it."""
    spec = spec_of(name)
    table, seen = plain_table(spec), 0
    while following := next(steps(table, spec.protocol), None):
        assert size_of(following.table) < size_of(table), following.what
        table, seen = following.table, seen + 1
    assert seen > 3


def size_of(value: object) -> int:
    """Keys, entries and numbers: what each step makes less of."""
    match value:
        case dict():
            return sum(100 + size_of(each) for each in value.values())
        case list():
            return sum(10 + size_of(each) for each in value)
        case bool() | str():
            return 1
        case int():
            return value
        case _:
            return 1


@pytest.mark.parametrize("file", SOME, ids=lambda file: str(file.relative_to(ROOT)))
def test_the_values_of_a_smaller_setting_make_it_from_the_file(file: Path) -> None:
    """Also where it is much smaller, and where the file names a release."""
    spec = read_spec(file, PLAIN)
    table = plain_table(spec)
    last = rebuilt(spec, table)
    for _ in range(100):
        for step in steps(table, spec.protocol):
            with suppress(FinaleError):
                last, table = rebuilt(spec, step.table), step.table
                break
        else:
            break
    values = values_to(spec, last)
    made = read_under(file, PLAIN, values=values_in([*settings_of(values)]))
    assert plain_table(made) == plain_table(last)
    assert made.setting.job == last.setting.job


def test_a_value_that_was_given_is_replaced() -> None:
    spec = with_values("final-checkpoint/pair", "job.S.records=2", "bounds.failures=1")
    table = plain_table(spec)
    step = next(s for s in steps(table, spec.protocol) if s.name == "failures")
    assert values_to(spec, rebuilt(spec, step.table)) == (
        ("job.S.records", 2),
        ("bounds.failures", 0),
    )
    step = next(s for s in steps(table, spec.protocol) if s.name == "S")
    assert [key for key, _ in values_to(spec, rebuilt(spec, step.table))] == [
        "bounds.failures",
        "job",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "specs/final-checkpoint/broken/keeps-subsumed.toml",
        "specs/two-phase-commit/as-many-as-by-default.toml --variant commits-unasked",
    ],
)
def test_a_trace_in_the_smallest_setting_is_read_again(line: str, tmp_path: Path) -> None:
    file = tmp_path / "t.itf.json"
    written = run(f"trace {line} --minimise --format itf --output {file}")
    assert written.exit == 0
    read = run(f"trace {file}")
    assert (read.exit, read.stderr) == (0, "")
    told = run(f"trace {line} --minimise").stdout.partition("as a spec")[2]
    for part in ("start\n", "violates"):  # where it begins, and all that follows
        assert read.stdout.partition(part)[2].rstrip() in told


def test_a_trace_without_an_assumption_keeps_that_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "t.itf.json"
    line = f"trace {WEAKENED} --minimise --format itf --output {file}"
    assert run(line).exit == 0
    assert json.loads(file.read_text())["#meta"]["without"] == [WEAKENED.rsplit(maxsplit=1)[-1]]
    assert run(f"trace {file}").exit == 0


def test_the_heading_of_a_trace_states_the_smallest_setting() -> None:
    spec = "specs/two-phase-commit/broken/commits-unasked.toml"
    line = f"trace {spec} --property commits-are-decided --set sizes.managers=4 --minimise"
    told = run(line, columns=200).stdout.partition("as a spec")[2]
    head, _, rest = told.partition("commits-are-decided is violated")
    assert "variant commits-unasked · sizes.managers = 1\n" in head
    assert "managers=4 --minimise" in rest  # the command that finds it again


def test_the_json_of_a_trace_states_the_smallest_setting() -> None:
    spec = "specs/two-phase-commit/broken/commits-unasked.toml"
    line = f"{spec} --property commits-are-decided --set sizes.managers=4 --format json"
    told = json.loads(run(f"trace {line} --minimise").stdout)
    (same,) = json.loads(run(f"check {line} --minimise").stdout)["minimised"]
    assert told["minimised"] == same
    assert tomllib.loads(same["smallest"])["sizes"] == {"managers": 1}
    assert "minimised" not in json.loads(run(f"trace {line}").stdout)


@pytest.mark.parametrize(
    "file", sorted(ROOT.rglob("*.toml"))[::9], ids=lambda file: str(file.relative_to(ROOT))
)
def test_what_is_written_is_read_again(file: Path) -> None:
    spec = read_spec(file, PLAIN)
    assert spec.table is not None
    assert tomllib.loads(spec_text(spec.table)) == spec.table
    if spec.setting.job is not None:
        table = tomllib.loads(spec_text({"job": job_table(spec.setting.job)}))["job"]
        assert Job.from_table(table) == spec.setting.job
