"""The explorer: walks, searches from a state, and a server that answers to one browser only."""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast
from unittest import mock

import pytest

from finale.checker.page.explorer import walk as walk_module
from finale.checker.page.explorer.plainly import Plainly
from finale.checker.page.explorer.server import BODY_MAX, HOST, Explorer, serving
from finale.checker.page.explorer.walk import Walk, violated, walk_of
from finale.checker.search.limits import Limits
from finale.checker.search.verdict import Verdict, Word
from finale.cli.traces import itf_of_run
from finale.model.errors import FinaleError
from finale.model.itf import from_itf
from finale.model.semantics import blocking_bounds, outcome, steps
from finale.model.system import Blocked, State
from finale.model.trace import Trace
from tests.cli.running import run
from tests.page.made import HANGS, PING, ROOT, result, told


def walk(*rules: int, spec: Path = HANGS) -> Walk:
    system = result(spec).system
    assert system is not None
    return walk_of(system, 0, list(rules))


def here(*rules: int, spec: Path = HANGS) -> dict[str, Any]:
    return walk(*rules, spec=spec).here()


def written(run_of_it: Trace) -> str:
    found = result(HANGS)
    assert found.system is not None
    return itf_of_run(found.spec, found.system, Verdict("", Word.RUN, run_of_it))


def race() -> list[int]:
    return list(told(HANGS, "checkpoint-ends").trace.rules)


# --- walks ---------------------------------------------------------------------------------------


def test_a_state_offers_its_steps() -> None:
    seen = here()
    told_steps = [(each["name"], dict(each["binding"])) for each in seen["next"]]
    assert told_steps == [
        ("trigger_checkpoint", {}),
        ("end_source", {"task": "S1"}),
    ]
    assert seen["changed"] == []
    assert seen["taken"] == []


def test_a_step_that_only_a_bound_forbids_is_named_with_the_bound() -> None:
    assert "expire(cp1) (expiries)" in here(race()[0])["bounds"]


def test_a_run_ends_where_its_trace_does() -> None:
    seen = here(*race())
    assert seen["next"] == []
    assert seen["taken"][2] == "quiesce S1"
    words = {each["name"]: each["word"] for each in seen["properties"]}
    assert words["checkpoint-ends"] == "cause"
    assert seen["properties"][0]["word"] in ("violated", "reached", "cause")


def test_a_property_is_violated_in_a_state() -> None:
    seen = here(*told(PING, "never-done").trace.rules, spec=PING)
    [asked] = [each for each in seen["properties"] if each["name"] == "never-done"]
    assert asked["word"] == "violated"
    assert ["A.status", "DONE"] in asked["because"]


def test_a_search_goes_on_from_the_state() -> None:
    assert walk().search("checkpoint-ends")["rules"] == race()
    # After the point of no return the rest of the run is found, before it another run.
    assert walk(*race()[:8]).search("checkpoint-ends")["verdict"] == "violated"
    one = walk(*race()[:2])
    rest = one.search("checkpoint-ends")["rules"]
    assert isinstance(rest, list)
    assert here(*one.trace.rules, *rest)["next"] == []


def test_a_search_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk_module, "LIMITS", Limits(states_max=20))
    with pytest.raises(FinaleError) as error:
        walk().search("checkpoint-ends")
    assert error.value.code == "search-too-large"


@pytest.mark.parametrize("rules", [[-1], [10**9], [True, "x"], [None], race()[2:3]])
def test_what_is_no_run_is_an_error(rules: list[object]) -> None:
    system = result(HANGS).system
    assert system is not None
    for start, taken in ((0, rules), (7, []), ("0", []), (0, "abc")):
        with pytest.raises(FinaleError) as error:
            walk_of(system, start, taken)
        assert error.value.code == "not-a-run"


def test_a_run_that_is_too_long_is_an_error() -> None:
    with pytest.raises(FinaleError) as error:
        walk(*[0] * (walk_module.STEPS_MAX + 1))
    assert error.value.code == "page-too-large"


def test_the_trace_of_a_path_is_read_again(tmp_path: Path) -> None:
    one, file = walk(*race()[:5]), tmp_path / "path.itf.json"
    file.write_text(written(one.trace), encoding="utf-8")
    assert from_itf(one.system, file.read_text(encoding="utf-8")) == one.trace
    ran = run(f"trace {file}")
    assert (ran.exit, "end_source" in ran.stdout or "deliver_trigger" in ran.stdout) == (0, True)


# --- the server ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[int, str]]:
    system = result(HANGS).system
    assert system is not None
    explorer = Explorer(result(HANGS).spec, system, walk(), written)
    with serving(explorer, 0) as served:
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        yield served.server_port, explorer.token
        served.shutdown()
        thread.join()


def answer(
    port: int, method: str, path: str, body: bytes = b"{}", **headers: str
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(HOST, port, timeout=10)
    kind = {"Content-Type": "application/json"} if method == "POST" else {}
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body if method == "POST" else None, kind | given)
    response = connection.getresponse()
    told_bytes = response.read()
    connection.close()
    return response.status, told_bytes


def test_the_token_opens_the_page(server: tuple[int, str]) -> None:
    port, token = server
    status, page = answer(port, "GET", f"/{token}/")
    assert status == 200
    assert b"explore finish-during-trigger-hangs.toml" in page
    question = json.dumps({"start": 0, "rules": []}).encode()
    status, told_bytes = answer(port, "POST", f"/{token}/here", question)
    assert status == 200
    assert len(json.loads(told_bytes)["next"]) == 2


@pytest.mark.parametrize(
    "path", ["/", "/wrong/", "//", "/wrong/here", "/{token}x/", "/{token}/../"]
)
def test_without_the_token_there_is_nothing(server: tuple[int, str], path: str) -> None:
    port, token = server
    for method in ("GET", "POST"):
        assert answer(port, method, path.format(token=token))[0] == 404


def test_another_name_of_the_host_finds_nothing(server: tuple[int, str]) -> None:
    port, token = server
    assert answer(port, "GET", f"/{token}/", Host=f"evil.example:{port}")[0] == 404


def test_a_form_of_another_page_cannot_ask(server: tuple[int, str]) -> None:
    port, token = server
    assert answer(port, "POST", f"/{token}/here", Content_Type="text/plain")[0] == 415


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_question_that_is_none_is_refused(server: tuple[int, str], body: bytes) -> None:
    port, token = server
    assert answer(port, "POST", f"/{token}/here", body)[0] == 400


def test_a_question_that_is_too_long_is_refused(server: tuple[int, str]) -> None:
    port, token = server
    length = str(BODY_MAX + 1)
    assert answer(port, "POST", f"/{token}/here", Content_Length=length)[0] == 413


def test_a_mistake_has_a_code(server: tuple[int, str]) -> None:
    port, token = server
    question = json.dumps({"start": 0, "rules": [999_999]}).encode()
    status, told_bytes = answer(port, "POST", f"/{token}/here", question)
    assert (status, json.loads(told_bytes)["code"]) == (422, "not-a-run")


# --- the command ---------------------------------------------------------------------------------


def test_a_port_that_is_taken_is_an_error(server: tuple[int, str]) -> None:
    ran = run(f"explore {HANGS} --port {server[0]}")
    assert ran.exit == 2
    assert f"error[port-taken]: the port {server[0]} is taken" in ran.stderr
    assert ran.stdout == ""


@pytest.mark.parametrize("port", ["-1", "65536"])
def test_a_port_that_is_none_is_an_error(port: str) -> None:
    ran = run(f"explore {HANGS} --port={port}")
    assert (ran.exit, "error[bad-value]" in ran.stderr) == (2, True)


def test_ctrl_c_ends_it() -> None:
    with mock.patch("socketserver.BaseServer.serve_forever", side_effect=KeyboardInterrupt):
        ran = run(f"explore {HANGS}")
    assert ran.exit == 130
    assert ran.stdout.startswith(f"http://{HOST}:")


def test_a_trace_of_another_version_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "path.itf.json"
    text = written(walk(*race()[:5]).trace)
    file.write_text(re.sub('"ground-rule": [0-9]+', '"ground-rule": 0', text), encoding="utf-8")
    ran = run(f"explore {HANGS} --trace {file}")
    assert (ran.exit, "error[not-a-run]" in ran.stderr) == (2, True)
    file.write_text("{}", encoding="utf-8")
    ran = run(f"explore {HANGS} --trace {file}")
    assert (ran.exit, "error[not-itf]" in ran.stderr) == (2, True)


# --- why a step is not enabled, sources, expressions ---------------------------------------------


@cache
def plainly() -> Plainly:
    return Plainly(result(HANGS).spec)


def test_each_step_that_is_not_enabled_has_its_false_condition() -> None:
    for length in range(len(race()) + 1):
        one = walk(*race()[:length])
        told_steps = one.blocked(plainly())
        enabled = {step.rule for step in steps(one.system, one.state)}
        assert {one.system.rules[int(str(each["rule"]))] for each in told_steps} | enabled == {
            *one.system.rules
        }
        bounds = {str(rule) for rule, _ in blocking_bounds(one.system, one.state)}
        for each in told_steps:
            why = cast("dict[str, Any]", each["why"])
            rule = one.system.rules[int(str(each["rule"]))]
            file, line = why["place"].rsplit(":", 1)
            text = (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
            if str(rule) in bounds:
                assert "the bound" in why["condition"]
            else:
                assert why["condition"].split()[0].split("(")[0] in text
                assert why["values"]


def test_a_reason_has_the_values_that_it_rests_on() -> None:
    [why] = [
        e["why"] for e in walk(race()[0]).blocked(plainly()) if e["name"] == "trigger_checkpoint"
    ]
    values = dict(cast("dict[str, Any]", why)["values"])
    assert cast("dict[str, Any]", why)["condition"] == "self.may_be_pending()"
    assert values["self.may_be_pending()"] == "false"
    assert values["self.concurrent"] == "1"  # what the helper compares


def test_a_source_marks_the_branch_and_the_stop() -> None:
    one = walk(*race()[:2])
    taken = one.source(race()[2], plainly())
    assert taken["why"] is None
    rule = cast("list[dict[str, Any]]", taken["functions"])[0]
    assert rule["name"].endswith("quiesce")
    marks = {text.strip(): mark for _, text, mark in rule["lines"]}
    assert marks["task.status = TaskStatus.QUIESCED"] == "ran"
    assert set(marks.values()) == {"", "ran"}
    # Before, the same rule stops at its first condition.
    early = walk().source(race()[2], plainly())
    rule, *helpers = cast("list[dict[str, Any]]", early["functions"])
    # What words the reason is no helper of the rule.
    assert all(str(each["place"]).startswith("model/protocols/") for each in helpers), helpers
    marks = {text.strip(): mark for _, text, mark in rule["lines"]}
    assert marks["task.status = TaskStatus.QUIESCED"] == ""
    assert "stop" in marks.values()


def test_rules_run_plainly_as_the_system_says() -> None:
    for spec in (HANGS, PING):
        system = result(spec).system
        assert system is not None
        own = Plainly(result(spec).spec)
        for state in {*system.initial, *(s for row in result(spec).rows for s in states_of(row))}:
            for rule in system.rules:
                is_blocked = isinstance(outcome(rule.tree, state), Blocked)
                assert (own.reason(rule, state) is not None) == is_blocked, str(rule)


def states_of(row: Verdict) -> tuple[State, ...]:
    return () if row.trace is None else row.trace.states


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("S1.status", "RUNNING"),
        ("S1.status == TaskStatus.RUNNING", "true"),
        ("exists(tasks, lambda task: task.is_closed)", "false"),
        ("[task for task in state.tasks if task.is_running]", "[S1, S2, K]"),
        ("checkpoints[0].triggers", "{S1, S2}"),
        ("1 + len(tasks) * 2", "7"),
    ],
)
def test_an_expression_has_a_value(expression: str, value: str) -> None:
    assert plainly().value_of(expression, walk(race()[0]).state) == value


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "1 +",
        "x = 1",
        "import os",
        "S1.__class__",
        "().__class__.__bases__",
        "(t for t in tasks).gi_frame.f_builtins",
        "'{0.__class__}'.format(S1)",
        "open('/etc/passwd')",
        "eval('1')",
        "2 ** 9 ** 9",
        "S1.nobody",
        "S1.has_closed_not",
        "len",
        "1" * 2_000,
    ],
)
def test_an_expression_that_has_none_is_an_error(expression: str) -> None:
    with pytest.raises(FinaleError) as error:
        plainly().value_of(expression, walk().state)
    assert error.value.code == "bad-expression"


def test_an_expression_changes_nothing() -> None:
    one = walk(race()[0])
    plainly().value_of("checkpoints[0].triggers.clear() is None", one.state)
    assert plainly().value_of("checkpoints[0].triggers", one.state) == "{S1, S2}"


def test_the_violated_properties_have_their_runs() -> None:
    spec, system = result(HANGS).spec, result(HANGS).system
    assert system is not None
    told_runs = cast("list[dict[str, Any]]", violated(spec, system)["violated"])
    rows = {row.property for row in result(HANGS).rows if row.counterexample is not None}
    assert {each["name"] for each in told_runs} == rows
    for each in told_runs:
        assert len(walk_of(system, each["start"], each["rules"]).trace.rules) == len(each["rules"])
