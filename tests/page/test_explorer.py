"""The explorer: walks, searches from a state, and a server that answers to one browser only."""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from finale.checker.page.explorer import walk as walk_module
from finale.checker.page.explorer.server import BODY_MAX, HOST, Explorer, serving
from finale.checker.page.explorer.walk import Walk, walk_of
from finale.checker.search.limits import Limits
from finale.checker.search.verdict import Verdict, Word
from finale.cli.traces import itf_of_run
from finale.model.errors import FinaleError
from finale.model.itf import from_itf
from finale.model.trace import Trace
from tests.cli.running import run
from tests.page.made import HANGS, PING, result, told


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
    assert seen["taken"][7] == "quiesce S1"
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


@pytest.mark.parametrize("rules", [[-1], [10**9], [True, "x"], [None], race()[1:2]])
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
