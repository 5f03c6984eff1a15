"""`finale show SPEC --rule NAME`: bodies, what they call, and what a variant overrides."""

from __future__ import annotations

import pytest

from finale.checker.report.rule import rule_text
from finale.model.errors import FinaleError
from tests.protocols.specs import ROOT, spec_of


def page(spec: str, rule: str, width: int = 100) -> str:
    protocol = spec_of(ROOT / spec).instance()
    return "\n".join(line.plain for line in rule_text(protocol, rule, width))


def test_a_rule_is_shown_with_its_body_and_what_it_calls() -> None:
    shown = page("final-checkpoint/pair.toml", "quiesce")
    assert shown.startswith("FinalCheckpoint.quiesce  model/protocols/final_checkpoint.py:")
    assert "task.status = TaskStatus.QUIESCED" in shown
    calls = shown.split("\ncalls\n")[1]
    assert "FinalCheckpoint.may_close" in calls
    assert "Task.inputs_ended" in calls  # of an entity, called by a helper
    assert "model/protocols/task/tasks.py:" in calls


def test_a_sentence_stands_below_its_helper_and_further_right() -> None:
    lines = page("final-checkpoint/pair.toml", "deliver_trigger", 80).splitlines()
    calls = lines[lines.index("calls") + 1 :]
    at = next(n for n, line in enumerate(calls) if "JobProtocol.trigger_failed" in line)
    name, *sentence = calls[at : at + 3]
    assert name.startswith("    JobProtocol.trigger_failed  model/protocols/")
    assert sentence[0].startswith("        PL-5, LF-7, AB-6: ")
    assert sentence[1].startswith("        ")


def test_of_two_bodies_both_are_shown() -> None:
    shown = page("final-checkpoint/pair.toml", "complete")
    first, second = shown.index("Requests.complete"), shown.index("overrides JobProtocol.complete")
    assert first < second < shown.index("\ncalls\n")


def test_of_a_variant_it_is_shown_what_it_overrides() -> None:
    broken = page("final-checkpoint/broken/completes-given-up.toml", "complete")
    place = "model/protocols/broken/final_checkpoint/failures.py:"
    assert broken.startswith(f"CompletesGivenUp.complete  {place}")
    assert "overrides Requests.complete" in broken


def test_an_overridden_helper_is_shown_with_both_places() -> None:
    shown = page("final-checkpoint/broken/waits-for-lost-ack.toml", "deliver_trigger")
    calls = " ".join(shown.split("\ncalls\n")[1].split())
    assert "WaitsForLostAck.trigger_failed" in calls
    assert "overrides FinalCheckpoint.trigger_failed model/protocols/final_checkpoint.py:" in calls


def test_a_helper_is_shown_like_a_rule() -> None:
    assert "is_head  model/protocols/coordinator/" in page("final-checkpoint/pair.toml", "is_head")
    assert page("final-checkpoint/pair.toml", "inputs_ended").startswith("Task.inputs_ended")


def test_a_rule_id_leads_to_the_methods_that_cite_it() -> None:
    shown = page("final-checkpoint/pair.toml", "PL-2.4")
    assert shown.startswith("PL-2.4 is in")
    assert "JobProtocol.is_head" in shown


def test_an_unknown_rule_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(FinaleError) as error:
        page("final-checkpoint/pair.toml", "quiese")
    assert error.value.code == "unknown-rule"
    assert "quiesce" in (error.value.advice or "")
