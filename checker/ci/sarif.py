"""Writes the findings of a check as SARIF 2.1.0, which code scanning reads.

The place of a result is the expectation in the spec. The counterexample is its code flow: one
location for each step, the line of the rule that the step takes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence

from finale.checker.report.story import StoryStep
from finale.checker.search.rows import CheckResult
from finale.model.errors import Place
from finale.model.visible import visible

from .findings import (
    FINALE,
    FINALE_BASE,
    SOURCE_BASE,
    Annotation,
    Checkout,
    claim_of,
    findings,
    shown,
)

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
VERSION = "2.1.0"
#: A code flow of more steps is cut: code scanning refuses long ones.
STEPS_MAX = 1000

Json = dict[str, object]


def sarif_of(outcome: CheckResult, checkout: Checkout, version: str) -> str:
    """Return the document; `version` is that of Finale."""
    found = list(findings(outcome))
    # A result needs a place, so the others are notifications.
    placed = [each for each in found if each.place.file is not None]
    others = [each for each in found if each.place.file is None]
    rules = _rules(placed)
    log: Json = {
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {"driver": _driver(rules, version)},
                "invocations": [_invocation(outcome, others)],
                "originalUriBaseIds": _bases(checkout),
                "columnKind": "unicodeCodePoints",
                "results": [_result(each, list(rules), checkout) for each in placed],
            }
        ],
    }
    return json.dumps(log, indent=2) + "\n"


def _driver(rules: dict[str, str], version: str) -> Json:
    return {
        "name": "Finale",
        "version": version,
        "semanticVersion": version,
        "rules": [
            {"id": name, "shortDescription": _text(text), "fullDescription": _text(text)}
            for name, text in rules.items()
        ],
    }


def _rules(found: Sequence[Annotation]) -> dict[str, str]:
    """What is reported, by its name: what each property says, and the codes of mistakes."""
    return {
        each.name: f"Mistake in the input: {each.name}. docs/errors.md explains the code."
        if each.told is None
        else claim_of(each.told.result, each.name)
        for each in found
    }


def _invocation(outcome: CheckResult, others: Sequence[Annotation]) -> Json:
    notifications = [
        {"level": each.level.value, "message": _text(f"{each.name}: {each.sentence}")}
        for each in others
    ]
    complete = not outcome.mistakes and not outcome.interrupted
    return {"executionSuccessful": complete, "toolExecutionNotifications": notifications}


def _bases(checkout: Checkout) -> Json:
    root = checkout.folder.resolve().as_uri()
    return {
        SOURCE_BASE: {"uri": f"{root.rstrip('/')}/"},
        FINALE_BASE: {
            "uri": f"{FINALE.as_uri()}/",
            "description": {"text": "The folder that Finale is installed in."},
        },
    }


def _result(found: Annotation, rules: Sequence[str], checkout: Checkout) -> Json:
    result: Json = {
        "ruleId": found.name,
        "ruleIndex": rules.index(found.name),
        "kind": "open" if found.is_open else "fail",
        "level": "none" if found.is_open else found.level.value,
        "message": _text(_message(found, checkout)),
        "locations": [{"physicalLocation": _physical(found.place, checkout)}],
        "partialFingerprints": {"finaleFinding/v1": _fingerprint(found)},
    }
    if found.told is not None and found.told.story is not None and found.told.story.steps:
        flow = [_step(each, checkout) for each in found.told.story.steps[:STEPS_MAX]]
        result["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
    return result


def _message(found: Annotation, checkout: Checkout) -> str:
    """The sentence, and the values that the verdict rests on.

    A viewer shows the name beside the message, so the sentence does not begin with it.
    """
    head = found.sentence.removeprefix(f"{found.name} ").removeprefix("is ")
    head = f"{head[:1].upper()}{head[1:]}"
    if found.told is None or found.told.story is None:
        return head
    story = found.told.story
    lines = [head, story.sentence]
    lines += [f"{each.label} = {each.new}" for each in story.ending]
    return "\n".join([*lines, f"Show it again: {found.told.again_in(checkout)}"])


def _fingerprint(found: Annotation) -> str:
    """What makes a finding the same one in another revision, whatever line it is on."""
    return hashlib.sha256(f"{shown(found)}\n{found.name}".encode()).hexdigest()


def _physical(place: Place, checkout: Checkout) -> Json:
    assert place.file is not None
    uri, base = checkout.uri_of(place.file)
    artifact = {"uri": uri} | ({"uriBaseId": base} if base else {})
    return {"artifactLocation": artifact, "region": {"startLine": place.line or 1}}


def _step(step: StoryStep, checkout: Checkout) -> Json:
    place = step.rule.rule.place if step.fault is None else step.fault.place
    location: Json = {"message": _text(" ".join(_words(step)))}
    if place.file is not None:
        location["physicalLocation"] = _physical(place, checkout)
    values = {visible(each.label): _text(each.new) for each in step.changes}
    told: Json = {"location": location, "executionOrder": step.number, "kinds": ["call"]}
    return told | ({"state": values} if values else {})


def _words(step: StoryStep) -> Iterator[str]:
    binding = ", ".join(f"{name} {value}" for name, value in step.rule.binding)
    yield f"{step.number}. {step.rule.rule.name}{f' ({binding})' if binding else ''}:"
    yield step.rule.rule.sentence
    for each in step.changes:
        yield f"{each.label}: {each.moved or each.old} → {each.new};"
    if step.fault is not None:
        yield f"fault {step.fault.code}: {step.fault.message}"


def _text(text: str) -> Json:
    """A message; it may quote what came from outside, and a viewer draws what JSON escapes."""
    return {"text": visible(text, "\n")}
