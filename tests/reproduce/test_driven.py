"""What of a spec and of a trace the driver can take: closed tables, and refusals by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from enum import Enum
from importlib import import_module
from pathlib import Path

import pytest

from finale.checker.reproduce.driven import (
    COORDINATED,
    EDGE,
    OPTIONS,
    REFUSED_PROTOCOLS,
    VERTEX,
    Only,
    lacking,
    word_of,
)
from finale.checker.reproduce.ordering import TRIGGERS_READER
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import varied
from finale.checker.spec.reading import read_spec, spec_of
from finale.cli.main import main
from finale.model.language.bindings import rule_names
from finale.model.language.protocol import Protocol
from finale.model.protocols.registry import PROTOCOLS
from finale.model.topology import Edge, Vertex
from finale.reference.flink.facts import EngineFacts, facts_in
from finale.reference.flink.hooks import hooks_in
from finale.reference.flink.releases import HOOKS as FOLDER
from tests.docs.pages import ROOT
from tests.reference.flink.test_found import distribution

FACTS = facts_in(FOLDER / "flink-2.3.toml")


def classes() -> Iterator[type[Protocol]]:
    """The protocols that the driver builds, with their variants."""
    for entry in PROTOCOLS:
        protocol = imported(entry.where)
        if entry.key not in REFUSED_PROTOCOLS and (protocol.needs_job or entry.key == COORDINATED):
            yield protocol
            yield from map(imported, entry.variants.values())


def imported(where: str) -> type[Protocol]:
    module, _, name = where.partition(":")
    found: type[Protocol] = getattr(import_module(module), name)
    return found


def rules() -> set[str]:
    """The rules of these protocols, as an order calls them."""
    named = {name for protocol in classes() for name in rule_names(protocol)}
    return {TRIGGERS_READER.get(name, (name,))[0] for name in named}


def ways(step: str, facts: EngineFacts) -> list[str]:
    """The tables that have a step."""
    tables = {
        "driven": facts.takes(step),
        "together": step in facts.together,
        "itself": step in facts.itself,
        "beyond": step in facts.beyond,
    }
    return [name for name, has in tables.items() if has]


def test_each_rule_is_driven_or_taken_by_itself_or_not_takeable() -> None:
    told = {step: ways(step, FACTS) for step in rules()}
    assert {step: found for step, found in told.items() if len(found) != 1} == {}


def test_each_row_is_of_a_rule() -> None:
    chained = {*FACTS.chained.values(), "end_stopped"}
    assert FACTS.itself.keys() - rules() <= chained
    assert FACTS.beyond.keys() <= rules()


def test_each_option_is_built_or_decided_by_somebody() -> None:
    options = {each.name for protocol in classes() for each in fields(protocol.Options)}
    settings = options & FACTS.settings.keys()
    assert options - settings == OPTIONS.keys() - settings
    # A setting with a row there has values that no word of Flink stands for.
    assert all(isinstance(OPTIONS[name], Only) for name in settings & OPTIONS.keys())


def test_each_value_of_a_row_is_one_of_the_option() -> None:
    for protocol in classes():
        for each in fields(protocol.Options):
            row = OPTIONS.get(each.name)
            if isinstance(row, Only):
                kind = type(each.default)
                known = [each.value for each in kind] if issubclass(kind, Enum) else [True, False]
                assert set(row.values) < set(known)
                assert word_of(each.default) in row.values


def test_each_key_of_a_job_has_a_row() -> None:
    assert {each.name for each in fields(Vertex)} == VERTEX.keys()
    assert {each.name for each in fields(Edge)} == EDGE.keys()


def changed(name: str, **changes: object) -> Spec:
    spec = read_spec(ROOT / "specs" / f"{name}.toml", catalogue())
    assert spec.table is not None
    return spec_of(spec.file, varied(spec.table, changes.items()), spec.lines, spec.catalogue)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"options.held_until": "confirmation"}, 'option held_until = "confirmation"'),
        ({"options.fetches_apart": True}, "option fetches_apart = true"),
        ({"options.checkpointing": "batch"}, 'option checkpointing = "batch"'),
        ({"protocol": "at-least-once"}, "protocol at-least-once"),
        ({"job.K.kind": "timer"}, 'job.K: the driver\'s job has no vertex of kind "timer"'),
        ({"job.K.sink": "buffered"}, 'job.K: the driver\'s job has no sink "buffered"'),
    ],
)
def test_what_the_driver_does_not_build_is_refused_by_name(
    changes: dict[str, object], named: str
) -> None:
    assert list(lacking(changed("final-checkpoint/pair"), FACTS)) == []
    (why,) = lacking(changed("final-checkpoint/pair", **changes), FACTS)
    assert named in why


def test_an_edge_that_is_kept_in_order_is_refused_if_barriers_overtake_there() -> None:
    edge = {"vertex": "S", "overtakes": False}
    changes = {
        "protocol": "unaligned",
        "job": {"S": {}, "K": {"from": [edge], "sink": "two-phase"}},
    }
    (why,) = lacking(changed("final-checkpoint/pair", **changes), FACTS)
    assert "job.K.from, overtakes = false" in why
    edge["pattern"] = "pointwise"
    assert list(lacking(changed("final-checkpoint/pair", **changes), FACTS)) == []


def test_a_job_that_begins_with_a_state_is_refused() -> None:
    spec = read_spec(ROOT / "specs" / "history" / "flink-23770.toml", catalogue())
    assert any(why.startswith("[resume]") for why in lacking(spec, FACTS))


def test_an_option_that_nobody_knows_is_refused() -> None:
    facts = replace(FACTS, settings={})
    assert any(
        "option concurrent = 1" in why for why in lacking(changed("final-checkpoint/pair"), facts)
    )


def test_a_step_that_the_driver_cannot_take_is_named_before_a_java_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """The order without the step would be taken, and the damage would not come."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))
    hooks = hooks_in(FOLDER / "flink-2.3.toml")
    release = distribution(tmp_path, "2.3.0", *{each.class_name for each in hooks.all})
    spec = ROOT / "specs" / "failures" / "trigger-without-slot.toml"
    command = ["reproduce", str(spec), "--property", "checkpoint-ends", "--flink", str(release)]
    assert main([*command, "--output", str(tmp_path / "reproduction")]) == 3
    told = capsys.readouterr().out
    assert "cannot take step" in told
    assert "find_no_slot: the driver cannot take a slot away" in told
    assert not (tmp_path / "reproduction").exists()


def test_a_step_that_a_release_does_not_have_is_named() -> None:
    older = facts_in(FOLDER / "flink-1.13.toml")
    assert older.lacks("stop_source") == "no hook of Flink 1.13 takes such a step"
    assert FACTS.lacks("stop_source") == ""


def test_a_variant_is_driven_along_its_own_counterexample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the variant the spec holds. A release whose protocol differs has the variant, too."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))
    hooks = hooks_in(FOLDER / "flink-2.3.toml")
    release = distribution(tmp_path, "2.3.0", *{each.class_name for each in hooks.all})
    text = (ROOT / "specs/final-checkpoint/broken/finish-during-trigger-hangs.toml").read_text()
    spec = tmp_path / "spec.toml"
    spec.write_text(text[: text.index("[search]")].replace("variant  =", "# "), encoding="utf-8")
    command = ["reproduce", str(spec), "--flink", str(release), "--property", "checkpoint-ends"]
    assert main(command) == 2
    assert "error[no-trace]: " in capsys.readouterr().err
    assert main([*command, "--variant", "waits-for-lost-ack"]) == 2
    assert "error[java-missing]: " in capsys.readouterr().err
    assert main([*command, "--variant", "waits-for-lost"]) == 2
    told = capsys.readouterr().err
    assert 'error[unknown-variant]: "final-checkpoint" has no variant "waits-for-lost"' in told
