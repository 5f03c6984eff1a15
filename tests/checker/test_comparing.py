"""Code of a user is compared with plain Python: what differs is found, named, and no verdict."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from finale.checker.search.interpreter.comparing import (
    _chosen_states,
    _comparison,
    first_states,
    states_on_walks,
)
from finale.checker.search.run import run
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from finale.model.errors import FinaleError
from finale.model.language.reaching import CodeByName
from tests.cli.running import ROOT
from tests.cli.running import run as command

#: A counter. In a search `odd()` says something else than in plain Python, as a misread rule does.
COUNTER = '''
"""A counter."""

from __future__ import annotations

from finale.model.language.explore import exploring
from finale.rules import WEAK, Bool, Protocol, Range, Taken, always, define, field, on_step
from finale.rules import reachable, require, rule


def odd() -> int:
    return 1 if exploring() else 0


class Counter(Protocol):
    """A counter."""

    key = "counter"
    n = field(Range(0, 3_000), 0)
    m = field(Range(0, 3), 0)

    def terminal(self) -> bool:
        return {terminal}

    @rule(fair=WEAK)
    def count(self) -> None:
        """It counts."""
        require(self.n < 3_000)
        self.n += 1

    @rule
    def mark(self) -> None:
        """It marks."""
        require(self.n == {where}, self.m < 3)
        if self.n == {where}:
            self.m += {by}
        else:
            self.m = 0

@reachable
def far(state: Counter) -> bool:
    """It counts."""
    return state.n == 5

@always(witness="far")
def small(state: Counter) -> bool:
    """It is small."""
    return {claim}

@on_step
def slow(state: Counter) -> bool:
    """It is slow."""
    return {on_step}


PROTOCOLS = (Counter,)
PROPERTIES = (far, small, slow)
'''
RIGHT = {
    "terminal": "self.n == 3_000", "where": "3", "by": "1", "claim": "state.m < 4",
    "on_step": "state.n >= 0",
}  # fmt: skip


def counter(folder: Path, **other: str) -> Spec:
    (folder / "protocols").mkdir()
    text = COUNTER
    for name, value in (RIGHT | other).items():
        text = text.replace(f"{{{name}}}", value)
    (folder / "protocols" / "counter.py").write_text(dedent(text), encoding="utf-8")
    (folder / "counter.toml").write_text('title = "A counter"\nprotocol = "counter"\n')
    known = catalogue(folder / "protocols", compares=True)
    return read_spec(folder / "counter.toml", known)


def test_what_agrees_has_its_verdicts(tmp_path: Path) -> None:
    result = run(counter(tmp_path), backend="readable")
    assert result.ok
    assert result.report.statistics.complete


@pytest.mark.parametrize(
    ("other", "what"),
    [
        ({"by": "1 + odd()"}, "mark"),
        ({"where": "3 + odd()"}, "mark"),
        ({"claim": "state.n < 2 + odd()"}, "small"),
        ({"on_step": "state.n < 2 + odd()"}, "slow on count"),
        ({"terminal": "self.n == 7 + odd()"}, "terminal"),
    ],
)
def test_a_difference_is_named_with_its_state(
    other: dict[str, str], what: str, tmp_path: Path
) -> None:
    with pytest.raises(FinaleError) as caught:
        run(counter(tmp_path, **other), backend="readable")
    error = caught.value
    assert error.code == "misread"
    assert f"Finale misreads {what}" in error.message
    assert "As plain Python: " in error.message
    assert "The state: n = " in error.message
    assert "--no-compare" in error.advice


def test_a_branch_that_the_search_takes_far_away_is_compared(tmp_path: Path) -> None:
    """No walk and none of the first thousand states comes there: the search is asked for one."""
    spec = counter(tmp_path, where="2_500", by="1 + odd()")
    with pytest.raises(FinaleError) as caught:
        run(spec, backend="readable")
    assert caught.value.code == "misread"
    assert "n = 2500" in caught.value.message


def test_a_rule_without_a_branch_is_compared_where_it_is_enabled(tmp_path: Path) -> None:
    spec = counter(tmp_path, where="2_500", by="1 + odd()")
    file = tmp_path / "protocols" / "counter.py"
    text = file.read_text(encoding="utf-8")
    without = text.replace("        if self.n == 2_500:\n    ", "")
    without = without.replace("        else:\n            self.m = 0\n", "")
    assert "if self" not in without
    file.write_text(without, encoding="utf-8")
    spec = read_spec(spec.file, catalogue(tmp_path / "protocols", compares=True))
    with pytest.raises(FinaleError) as caught:
        run(spec, backend="readable")
    assert caught.value.code == "misread"
    assert "mark" in caught.value.message


@pytest.mark.parametrize("claim", ["state.n != 2_500 + 600 * (1 - odd())"])
def test_no_counterexample_rests_on_what_was_misread(claim: str, tmp_path: Path) -> None:
    """The search finds the state; plain Python finds nothing wrong there."""
    with pytest.raises(FinaleError) as caught:
        run(counter(tmp_path, claim=claim), backend="readable")
    assert caught.value.code == "misread"
    assert "Finale misreads small" in caught.value.message
    assert "n = 2500" in caught.value.message


def test_the_same_states_are_compared_each_time(tmp_path: Path) -> None:
    system = counter(tmp_path).system()
    assert _chosen_states(system) == _chosen_states(system)
    assert len(set(_chosen_states(system))) > 150
    first = list(zip(range(100), first_states(system), strict=False))
    known = [state for _, state in first]
    assert not set(known) & set(states_on_walks(system, known))


def test_only_what_reaches_the_users_code_is_compared(tmp_path: Path) -> None:
    variant = '''
        """A variant."""

        from finale.jobs import Task
        from finale.protocols import FinalCheckpoint
        from finale.rules import rule


        class Mine(FinalCheckpoint):
            """A variant."""

            @rule
            def quiesce(self, task: Task) -> None:
                """FC-6: a task ends."""
                super().quiesce(task)


        VARIANTS = {"mine": Mine}
    '''
    (tmp_path / "mine.py").write_text(dedent(variant), encoding="utf-8")
    text = (ROOT / "specs" / "final-checkpoint" / "pair.toml").read_text(encoding="utf-8")
    file = tmp_path / "pair.toml"
    file.write_text(text.replace('protocol = "final-checkpoint"', '''protocol = "final-checkpoint"
variant = "mine"'''))  # fmt: skip
    spec = read_spec(file, catalogue(tmp_path, compares=True))
    comparison = _comparison(spec.asked, spec.system())
    assert {bound.rule.name for bound, _ in comparison.rules} == {"quiesce"}
    assert comparison.predicates == []
    own = read_spec(ROOT / "specs" / "final-checkpoint" / "pair.toml", catalogue())
    system = own.system()
    assert not _comparison(own.asked, system).has_own_code
    assert not CodeByName.of(system.variables[0].entity.world).names


def test_the_command_gives_no_verdict_and_has_a_way_out(tmp_path: Path) -> None:
    counter(tmp_path, claim="state.m + odd() < 4 or state.m < 4")
    file = tmp_path / "protocols" / "counter.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("return state.n == 5", "return state.n == 5 + odd()"))
    line = "check counter.toml --protocols protocols"
    done = command(line, tmp_path)
    assert done.exit == 2
    assert "error[misread]: protocols/counter.py" in done.stderr
    assert "holds" not in done.stdout
    assert command(f"{line} --no-compare", tmp_path).exit == 0
