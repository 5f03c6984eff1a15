"""`finale mcp`, asked by the client of the SDK: tools, bad arguments, limits, lost clients."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from anyio import create_task_group, sleep
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters

from finale.cli.child import BYTES_MAX, Ended, _Kept
from finale.cli.mcp import Desk
from finale.cli.tools import TOOLS, Limits, Tool, arguments_of
from finale.model.errors import FinaleError
from tests.cli.running import HERE, ROOT

SAMPLES = ROOT / "tests" / "logs" / "samples.tar.xz"
#: It takes the code of a variant as the user's code, and starts a process of its own.
ENDLESS = """\
import os, subprocess, time
from pathlib import Path
subprocess.Popen(["sleep", "600"])
Path("group").write_text(str(os.getpgrp()))
time.sleep(600)
"""
LOUD = """\
import os
print("stray output")
os.write(1, b"more of it\\n")
VARIANTS = {}
"""
FLOOD = """\
import os
os.write(1, b"line\\n" * 10**6)
os.write(2, b"note\\n" * 10**6)
VARIANTS = {}
"""
SECONDS_TO_START, SECONDS_TO_DIE = 60.0, 10.0

Call = Callable[..., tuple[dict[str, Any], str]]


@pytest.fixture(scope="module")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as opened:
        yield opened


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a spec and a protocol, logs, a link that leads out, and code beside it."""
    folder = tmp_path_factory.mktemp("agents")
    here = folder / "project"
    shutil.copytree(HERE / "inputs", here)
    (here / "finale.toml").write_text('protocols = "protocols"\nspecs = ["ping.toml"]\n')
    for name, text in (("loud", LOUD), ("endless", ENDLESS), ("flood", FLOOD)):
        (here / name).mkdir()
        (here / name / f"{name}.py").write_text(text)
    outside = folder / "outside"
    outside.mkdir()
    (outside / "code.py").write_text('raise SystemExit("loaded")\n')
    (here / "linked").mkdir()
    (here / "linked" / "code.py").symlink_to(outside / "code.py")
    (here / "away").symlink_to(outside)
    (here / "misled").mkdir()
    (here / "misled" / "finale.toml").write_text('protocols = "../../outside"\n')
    shutil.copy(here / "ping.toml", here / "misled" / "ping.toml")
    ping = (here / "ping.toml").read_text()
    (outside / "ping.toml").write_text(ping)
    for name in ("below", "behind", "resumed", "builds"):
        (here / name).mkdir()
    (here / "below" / "x.toml").symlink_to(outside / "ping.toml")
    (here / "behind" / "below").symlink_to(here / "builds")
    (here / "builds" / "flink.log").symlink_to(outside / "bounded-01" / "flink.log")
    for name, first in (("x", "../../outside/ping.toml"), ("y", "x.toml"), ("z", "../ping.toml")):
        text = f'{ping}\n[resume]\nfrom = "{first}"\n'
        (here / "resumed" / f"{name}.toml").write_text(text)
    with tarfile.open(SAMPLES) as archive:
        archive.extract("bounded-01/flink.log", outside, filter="data")
    return here


def parameters(project: Path, *flags: str) -> StdioServerParameters:
    cache = {"FINALE_CACHE": os.environ.get("FINALE_CACHE", "")}
    kept = (
        {"XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]} if "XDG_CACHE_HOME" in os.environ else {}
    )
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "finale", "mcp", *flags],
        cwd=project,
        env=(cache if cache["FINALE_CACHE"] else {}) | kept,
    )


@pytest.fixture(scope="module")
def client(portal: BlockingPortal, project: Path) -> Iterator[Client]:
    given = parameters(project, "--reads", "../outside", "--max-seconds", "100")
    with portal.wrap_async_context_manager(Client(given)) as connected:
        yield connected


@pytest.fixture
def call(portal: BlockingPortal, client: Client) -> Call:
    def ask(tool: str, /, **arguments: object) -> tuple[dict[str, Any], str]:
        return answer_of(portal.call(partial(client.call_tool, tool, arguments)))

    return ask


def answer_of(result: Any) -> tuple[dict[str, Any], str]:
    head, *output = [each.text for each in result.content]
    told = json.loads(head)
    assert result.is_error == (told["code"] in {2, 70} or told["code"] < 0)
    return told, "".join(output)


def named(tool: str) -> Tool:
    return next(each for each in TOOLS if each.name == tool)


def code(answer: tuple[dict[str, Any], str]) -> str:
    head, output = answer
    assert head["exit"] == "bad input", head
    assert head["code"] == 2
    assert head["error"]["cure"]
    assert not output
    return str(head["error"]["code"])


# --- each tool ------------------------------------------------------------------------------------


def test_each_tool_has_a_schema_with_its_limits(portal: BlockingPortal, client: Client) -> None:
    listed = portal.call(client.list_tools).tools
    assert [tool.name for tool in listed] == [tool.name for tool in TOOLS]
    schemas = {tool.name: tool.input_schema for tool in listed}
    for name, schema in schemas.items():
        assert schema["additionalProperties"] is False
        assert schema["properties"]["characters"]["maximum"] == 100_000
        assert all(each.get("description") for each in schema["properties"].values()), name
    assert schemas["check"]["properties"]["seconds"]["maximum"] == 100
    assert schemas["check"]["properties"]["seconds"]["default"] == 50
    assert schemas["check"]["properties"]["format"]["enum"] == ["text", "json"]
    assert schemas["show"]["required"] == ["spec"]
    hints = {tool.name: tool.annotations for tool in listed}
    writing = [name for name, hint in hints.items() if hint and not hint.read_only_hint]
    assert writing == ["new_variant", "write"]


def test_a_variant_is_begun_changed_checked_and_traced(call: Call, project: Path) -> None:
    head, text = call("new_variant", folder="mine", of="two-phase-commit", rule="decide_commit")
    assert head["exit"] == "done"
    assert head["settings"] == {
        "folder": "mine",
        "of": "two-phase-commit",
        "rule": "decide_commit",
        "set": [],
        "seconds": 50.0,
        "characters": 20_000,
    }
    variant = project / "mine" / "protocols" / "my_change.py"
    assert text.endswith(variant.read_text())

    head, shown = call("show", spec="mine/specs/my-change.toml", rule="decide_commit")
    assert head["settings"]["protocols"] == "mine/protocols"
    assert shown.startswith("MyChange.decide_commit")
    assert "overrides TwoPhaseCommit.decide_commit" in shown

    head, text = call("read", path="mine/what-a-rule-can-use.md", find="DECIDE_COMMIT")
    assert [line.split("`")[1] for line in text.splitlines()] == ["decide_commit()"]

    unguarded = (
        "from finale.model.protocols.two_phase_commit import Decision\n",
        "require(self.decision == Decision.NONE)\n        self.decision = Decision.COMMIT",
    )
    changed = variant.read_text().replace("super().decide_commit()", unguarded[1])
    changed = changed.replace(
        "from finale.rules import ", f"{unguarded[0]}from finale.rules import require, "
    )
    head, text = call("write", path="mine/protocols/my_change.py", text=changed)
    assert (head["exit"], variant.read_text()) == ("done", changed)
    assert text == f"wrote mine/protocols/my_change.py: {len(changed.splitlines())} lines"

    head, text = call("check", paths=["mine"], property=["commit-needs-all"], format="json")
    assert (head["exit"], head["code"]) == ("an expectation failed", 1)
    (row,) = json.loads(text)["results"]
    assert (row["verdict"], row["steps"]) == ("violated", 1)
    head, text = call("trace", spec="mine/specs/my-change.toml", property="commit-needs-all")
    assert head["exit"] == "done"
    assert "commit-needs-all is violated: 1 step, and no run is shorter" in text
    head, text = call("diff", first="mine/specs/my-change.toml", variant="none")
    assert (head["exit"], head["code"]) == ("there is a difference", 1)
    head, text = call(
        "review", variants=["my-change"], specs=["mine/specs"], protocols="mine/protocols"
    )
    assert head["code"] == 1
    assert "commit-needs-all" in text


def test_names_are_listed_described_and_explained(call: Call) -> None:
    head, text = call("describe", of="two-phase-commit", protocols="protocols")
    assert head["exit"] == "done"
    assert head["command"].count("finale list ") == 3
    assert {"decide_commit", "withdraws"} <= set(text.split())
    _, text = call("list", what="properties", of="two-phase-commit", find="NO PARTICIPANT")
    assert text.split()[:2] == ["agreement", "always"]
    assert len(text.splitlines()) == 1
    head, text = call("explain", name=["no-such-answer"])
    assert (head["exit"], text.split(" · ")[1].split("\n")[0]) == ("done", "error")
    head, text = call("guide")
    assert text == (ROOT / "docs" / "how-to" / "with-an-agent.md").read_text()


def test_logs_and_builds_outside_the_project_are_read_if_the_server_may(
    call: Call, project: Path
) -> None:
    log = project.parent / "outside" / "bounded-01" / "flink.log"
    head, text = call("validate", logs=[str(log)])
    assert (head["exit"], head["code"]) == ("each job has a ✓", 0)
    assert text.startswith("✓ bounded-01: FINISHED")
    builds = [project.parent / "outside" / name for name in ("old", "new")]
    for each in builds:
        each.mkdir()
    head, _ = call("impact", old=str(builds[0]), new=str(builds[1]))
    assert head["error"]["code"] == "no-flink"


def test_a_long_answer_keeps_its_ends_and_the_rest_can_be_had(call: Call) -> None:
    head, cut = call("list", what="properties", characters=2_000)
    name = head["left_out"]["next"].split('"')[1]
    _, whole = call("more", answer=name, start=0, characters=100_000)
    assert head["left_out"]["characters"] == len(whole) - 2_000
    assert cut.startswith(whole[:1_400])
    assert cut.endswith(whole[-600:])
    head, first = call("more", answer=name, start=1_400, characters=1_000)
    assert first == whole[1_400:2_400]
    assert head["left_out"] == {"characters": len(whole) - 2_400, "next": "start=2400"}


def test_the_guide_is_read_in_parts(call: Call) -> None:
    head, first = call("guide", characters=500)
    assert head["left_out"]["next"] == "start=500"
    _, rest = call("guide", start=500)
    _, whole = call("guide")
    assert first + rest == whole


def test_answers_of_calls_at_once_are_kept_apart(
    portal: BlockingPortal, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(words: list[str], *_: object) -> Ended:
        await sleep(0.2)
        return Ended(0, words[-1] * 600, "", 0, is_late=False, seconds=0.2)

    async def tell(*_: object) -> None:
        raise AssertionError

    async def both(desk: Desk) -> None:
        async with create_task_group() as group:
            for name in ("a", "b"):
                given = {"name": [name], "characters": 500}
                group.start_soon(desk.answer, "explain", given, tell)

    monkeypatch.setattr("finale.cli.mcp.run_apart", run)
    desk = Desk(Limits(100, 20_000))
    portal.call(both, desk)
    assert desk.answers == {"answer-1": "a" * 600, "answer-2": "b" * 600}


def test_of_a_long_stderr_the_end_is_kept_and_of_stdout_the_beginning(
    portal: BlockingPortal, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for each in (b"abc", b"defgh", b"i"):
            yield each

    monkeypatch.setattr("finale.cli.child.BYTES_MAX", 4)
    for is_end, kept in ((True, "fghi"), (False, "abcd")):
        stream = _Kept(is_end)
        portal.call(stream.read, chunks())
        assert (stream.text, stream.dropped) == (kept, 5)


def test_a_flood_of_output_is_cut_and_counted(call: Call) -> None:
    head, output = call("list", what="options", of="two-phase-commit", protocols="flood")
    assert head["exit"] == "done"
    assert len(output) < 20_100
    assert len(json.dumps(head)) < 20_000
    dropped = int(head["notes"][-1].split()[3])
    flood = 2 * (5 * 10**6 - BYTES_MAX)
    assert flood < dropped < flood + 100, "besides there are two lines about the options"


# --- bad arguments --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("check", {"paths": ["../outside"]}),
        ("check", {"paths": ["protocols/../../outside"]}),
        ("check", {"paths": ["/etc/passwd"]}),
        ("check", {"paths": ["away"]}),
        ("check", {"paths": ["ping.toml"], "protocols": "../outside"}),
        ("check", {"paths": ["ping.toml"], "protocols": "linked"}),
        ("check", {"paths": ["misled/ping.toml"]}),
        ("list", {"what": "rules", "protocols": "away"}),
        ("check", {"paths": ["below"]}),
        ("check", {"paths": ["resumed/x.toml"]}),
        ("check", {"paths": ["resumed/y.toml"]}),
        ("check", {"paths": ["resumed"]}),
        ("check", {"paths": ["ping.toml"], "set": ["resume.from=../outside/ping.toml"]}),
        ("check", {"paths": ["ping.toml"], "set": ["resume.from=away/ping.toml"]}),
        ("check", {"paths": ["ping.toml"], "set": ['resume={from="/etc/x.toml"}']}),
        ("trace", {"spec": "below/x.toml", "property": "no-deadlock"}),
        ("review", {"variants": ["none"], "set": ["resume.from=../x.toml"]}),
        ("review", {"variants": ["none"], "specs": ["below"]}),
        ("list", {"what": "rules", "protocols": "behind"}),
        ("validate", {"logs": ["/var/log/*.log"]}),
        ("impact", {"old": "/usr/lib", "new": "../outside"}),
        ("new_variant", {"folder": "../mine"}),
        ("new_variant", {"folder": "away/mine"}),
        ("read", {"path": "away/code.py"}),
        ("read", {"path": "../outside/code.py"}),
        ("write", {"path": "linked/code.py", "text": ""}),
        ("write", {"path": "/tmp/x.py", "text": ""}),
    ],
)
def test_a_path_that_leads_out_is_refused(call: Call, tool: str, arguments: dict[str, Any]) -> None:
    assert code(call(tool, **arguments)) == "outside-project"


@pytest.mark.parametrize(
    "log", ["away/bounded-01/flink.log", "aw*/*/flink.log", "*/*/flink.log", "builds", "behind"]
)
def test_logs_behind_a_link_are_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch, log: str
) -> None:
    """The folder `outside` is not readable here."""
    monkeypatch.chdir(project)
    with pytest.raises(FinaleError) as raised:
        arguments_of(named("validate"), {"logs": [log]}, Limits(100, 20_000))
    assert raised.value.code == "outside-project"
    outside = project.parent / "outside"
    arguments_of(named("validate"), {"logs": [log]}, Limits(100, 20_000, (outside,)))


def test_a_spec_within_the_project_can_be_resumed_from(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    given = arguments_of(named("check"), {"paths": ["resumed/z.toml"]}, Limits(100, 20_000))
    assert given["paths"] == (Path("resumed/z.toml"),)


@pytest.mark.parametrize("where", ["above", "project"])
@pytest.mark.parametrize("tool", ["check", "review"])
def test_specs_of_a_project_file_are_below_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str, where: str
) -> None:
    here = tmp_path / "project"
    here.mkdir()
    (tmp_path / "outside").mkdir()
    folder, specs = (tmp_path, "outside") if where == "above" else (here, "../outside")
    (folder / "finale.toml").write_text(f'specs = ["{specs}"]\n')
    monkeypatch.chdir(here)
    given = {"variants": ["none"]} if tool == "review" else {}
    with pytest.raises(FinaleError) as raised:
        arguments_of(named(tool), given, Limits(100, 20_000))
    assert raised.value.code == "outside-project"


@pytest.mark.parametrize(
    "path",
    ["finale.toml", "protocols/finale.toml", "notes.txt", "loud/loud.py", "protocols", "x.py"],
)
def test_only_variants_and_specs_are_written(call: Call, project: Path, path: str) -> None:
    before = {each: each.read_bytes() for each in project.rglob("*") if each.is_file()}
    assert code(call("write", path=path, text="x = 1\n")) == "not-a-variant"
    assert {each: each.read_bytes() for each in project.rglob("*") if each.is_file()} == before


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("no-tool", {}, 'no tool is called "no-tool"'),
        ("check", {"paths": "ping.toml"}, "check: paths: "),
        ("check", {"paths": ["a"] * 101}, "check: paths: "),
        ("check", {"paths": ["a\0b"]}, "check: paths: "),
        ("check", {"property": ["p" * 5_000]}, "check: property: "),
        ("check", {"record": True}, "check: record: "),
        ("check", {"seconds": 101}, "check: seconds: "),
        ("check", {"seconds": 0}, "check: seconds: "),
        ("check", {"characters": 10**9}, "check: characters: "),
        ("show", {}, "show: spec: "),
        ("list", {"what": "secrets"}, "list: what: "),
        ("write", {"path": "protocols/a.py", "text": "x" * 200_001}, "write: text: "),
    ],
)
def test_a_wrong_argument_is_refused_with_its_name(
    call: Call, tool: str, arguments: dict[str, Any], told: str
) -> None:
    answer = call(tool, **arguments)
    assert code(answer) == "bad-argument"
    assert answer[0]["error"]["what"].startswith(told)


def test_a_value_is_never_taken_for_a_flag_or_for_code(call: Call, project: Path) -> None:
    name = "--format=json"
    head, _ = call("explain", name=[name])
    assert (code((head, "")), head["command"]) == ("unknown-name", f"finale explain -- {name}")
    head, _ = call("show", spec="ping.toml", rule="__import__('os').mkdir('taken')")
    assert head["error"]["code"] == "unknown-rule"
    assert not (project / "taken").exists()
    assert code(call("check", paths=["n" * 300])) == "refused-name"
    assert code(call("more", answer="answer-0", start=0)) == "no-such-answer"
    assert code(call("read", path=".git/config")) == "no-such-path"


# --- processes ------------------------------------------------------------------------------------


def started(project: Path) -> int:
    """The process group of the endless variant, once the variant runs."""
    file, end = project / "group", time.monotonic() + SECONDS_TO_START
    while not file.exists() or not file.read_text():
        assert time.monotonic() < end
        time.sleep(0.05)
    group = int(file.read_text())
    file.unlink()
    return group


def died(group: int) -> bool:
    end = time.monotonic() + SECONDS_TO_DIE
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    return False


def test_a_call_that_outlives_its_time_is_ended_with_all_its_processes(
    portal: BlockingPortal, client: Client, project: Path
) -> None:
    told: list[tuple[float, str | None]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        told.append((progress, message))

    given = {"what": "rules", "protocols": "endless", "seconds": 3}
    ask = partial(client.call_tool, "list", given, progress_callback=tell)
    head, output = answer_of(portal.call(ask))
    assert head["exit"].startswith("time limit: the call was ended after 3 s")
    assert (head["code"], head["settings"]["seconds"], output) == (130, 3, "")
    assert 3 <= head["took_seconds"] < 9
    assert [message for _, message in told][:1] == ["list runs"]
    assert [seconds for seconds, _ in told] == sorted({seconds for seconds, _ in told})
    assert died(started(project))


def test_a_cancelled_call_leaves_no_process_and_other_calls_go_on(
    portal: BlockingPortal, client: Client, call: Call, project: Path
) -> None:
    given = {"what": "rules", "protocols": "endless", "seconds": 60}
    running = portal.start_task_soon(partial(client.call_tool, "list", given))
    group = started(project)
    running.cancel()
    assert died(group)
    head, _ = call("guide")
    assert head["exit"] == "done"


@pytest.mark.parametrize(("leave", "exits"), [("kill", -signal.SIGKILL), ("close", 0)])
def test_stdout_has_the_protocol_only_and_whoever_leaves_leaves_no_process(
    project: Path, call: Call, leave: str, exits: int
) -> None:
    """Two clients: the second writes JSON by hand. Its server is killed, or it goes away."""
    given = parameters(project)
    server = subprocess.Popen(
        [given.command, *given.args],
        cwd=project,
        env=os.environ | (given.env or {}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None

    def say(method: str, parameters: object, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": parameters}
        numbered = message if number is None else message | {"id": number}
        assert server.stdin is not None
        server.stdin.write(json.dumps(numbered) + "\n")
        server.stdin.flush()

    client = {"name": "by hand", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    say("initialize", hello, 1)
    assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "finale"
    say("notifications/initialized", {})
    server.stdin.write("no JSON\n")
    loud = {"what": "protocols", "of": "two-phase-commit", "protocols": "loud"}
    say("tools/call", {"name": "list", "arguments": loud}, 2)
    while (answer := json.loads(server.stdout.readline())).get("id") != 2:
        assert answer["jsonrpc"] == "2.0"
    texts = [each["text"] for each in answer["result"]["content"]]
    assert json.loads(texts[0])["exit"] == "done"
    assert all(stray in "".join(texts) for stray in ("stray output", "more of it"))

    endless = {"what": "rules", "protocols": "endless"}
    say("tools/call", {"name": "list", "arguments": endless}, 3)
    group = started(project)
    head, _ = call("guide")
    assert head["exit"] == "done", "the other client is answered meanwhile"
    if leave == "kill":
        server.kill()
    server.stdin.close()
    assert died(group)
    assert server.wait() == exits
    server.stdout.close()


def test_a_server_without_the_sdk_says_what_to_install(project: Path) -> None:
    blocked = (
        "import sys; sys.modules['mcp'] = None; from finale.cli.main import main; sys.exit(main())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", blocked, "mcp"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error[mcp-missing]: ")
