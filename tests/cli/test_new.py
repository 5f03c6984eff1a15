"""`finale new`: it never overwrites, and what it writes is soon changed."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from finale.checker.report.offers import ALL_HISTORY, offers_page
from finale.checker.report.scaffold import variant_text
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.model.language.build import rule_names
from tests.cli.running import ROOT, run

FILES = [
    ".github/workflows/finale.yml", "finale.toml", "protocols/my_change.py", "specs/my-change.toml",
    "what-a-rule-can-use.md",
]  # fmt: skip
CHECK = "check specs --protocols protocols"


def made(folder: Path) -> list[str]:
    return sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file())


@pytest.fixture(scope="module")
def review(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new") / "it's mine"
    ran = run(f'new "{folder}"')
    assert (ran.exit, ran.stderr) == (0, "")
    assert made(folder) == FILES
    return folder


def test_the_variant_is_changed_in_a_line(review: Path, tmp_path: Path) -> None:
    """The change of the tutorial: the spec of the base finds it."""
    text = (review / "protocols" / "my_change.py").read_text(encoding="utf-8")
    call = "        super().apply_acknowledgement(task, checkpoint)\n"
    assert text.count(call) == 1
    eager = f"{call}        checkpoint.confirmations.add(task)\n"
    (tmp_path / "my_change.py").write_text(text.replace(call, eager), encoding="utf-8")
    checked = run(f'check "{review}/specs" --protocols "{tmp_path}"')
    assert checked.exit == 1
    assert re.search(
        r"✗  commit-only-durable +violated +\d+ steps · expected: holds", checked.stdout
    )


def test_what_no_run_reaches_is_told_apart(review: Path) -> None:
    text = (review / "specs" / "my-change.toml").read_text(encoding="utf-8")
    reached, unreached = text.split("# No run of the base reaches these situations on this job")
    assert 'property = "no-deadlock"' in reached
    assert '"violated"' not in reached
    assert 'property = "completes-after-close"' in unreached
    assert '"holds"' not in unreached


def test_the_body_of_the_base_can_be_copied(review: Path, tmp_path: Path) -> None:
    """The comment with the base's body, taken in and in the place of the call, does the same."""
    text = (review / "protocols" / "my_change.py").read_text(encoding="utf-8")
    call = "        super().apply_acknowledgement(task, checkpoint)\n"
    body = re.findall(r"^    #   (.*)$", text, re.MULTILINE)
    own = "".join(f"        {line}\n" for line in body)
    changed = text.replace(call, own).replace("import rule\n", "import require, rule\n")
    (tmp_path / "my_change.py").write_text(changed, encoding="utf-8")
    checked = run(f'check "{review}/specs" --protocols "{tmp_path}"')
    assert checked.exit == 0, changed + checked.stderr


@pytest.mark.parametrize("key", ["yardstick", "final-checkpoint", "persister", "restore-timed"])
def test_an_override_of_each_rule_is_python(key: str) -> None:
    kind = catalogue().protocol(key)
    for name in rule_names(kind):
        text = variant_text(kind, name)
        assert max(map(len, text.splitlines())) <= 100, text
        names: dict[str, object] = {}
        exec(compile(ast.parse(text), name, "exec"), names)
        assert name in vars(names["MyChange"])


def test_another_rule_can_be_named(tmp_path: Path) -> None:
    made = run("new mine --of yardstick --rule lose", tmp_path)
    assert made.exit == 0
    text = (tmp_path / "mine" / "protocols" / "my_change.py").read_text(encoding="utf-8")
    assert "def lose(self, task: Task, checkpoint: CheckpointNumber)" in text
    assert (
        "from finale.protocols import CheckpointNumber, Yardstick, YardstickTask as Task\n" in text
    )
    assert run(CHECK, tmp_path / "mine").exit == 0


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("goes_on", "    @define\n    def goes_on(self) -> bool:"),
        ("abort", "    @step\n    def abort(self, checkpoint: Checkpoint) -> None:"),
        ("entities", "    def entities(self) -> Sequence[Entity]:"),
    ],
)
def test_a_helper_can_be_named(name: str, head: str, tmp_path: Path) -> None:
    assert run(f"new mine --rule {name}", tmp_path).exit == 0
    text = (tmp_path / "mine" / "protocols" / "my_change.py").read_text(encoding="utf-8")
    assert head in text
    assert "This helper replaces the helper of the base" in text
    assert "Every trace shows this sentence" not in text
    checked = run(CHECK, tmp_path / "mine")
    assert checked.exit == 0
    assert "no run reached MyChange.entities" not in checked.stderr


def test_the_spec_has_the_keys_that_are_set(tmp_path: Path) -> None:
    words = "--set job.shape=fan-in --set options.finish_race=retrigger --set bounds.failures=0"
    assert run(f"new mine {words}", tmp_path).exit == 0
    file = tmp_path / "mine" / "specs" / "my-change.toml"
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    assert table["job"] == {"shape": "fan-in"}
    assert table["options"] == {"finish_race": "retrigger"}
    assert table["bounds"] == {"checkpoints": 1, "failures": 0}
    assert table["observe"] == {"effects": True}
    # The verdicts are those of this setting.
    checked = run("check", tmp_path / "mine")
    assert checked.exit == 0, checked.stdout


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("mine --set title=mine", "bad-set"),
        ("mine --set bounds.pigns=1", "unknown-bound"),
        ("mine --set job.shape=pear", "bad-shape"),
        ("mine --rule __init__", "unknown-rule"),
        ("mine --rule world", "unknown-rule"),
        ("full", "directory-not-empty"),
        ("full/file", "directory-not-empty"),
        ("full/file/below", "unwritable"),
        ("mine --of final-checkpont", "unknown-protocol"),
        ("mine --rule apply_acknowledgment", "unknown-rule"),
    ],
)
def test_bad_input_writes_nothing(words: str, code: str, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine", encoding="utf-8")
    ran = run(f"new {words}", tmp_path)
    assert ran.exit == 2
    assert ran.stderr.startswith(f"error[{code}]: ")
    assert made(tmp_path) == ["full/file"]
    assert (tmp_path / "full" / "file").read_text(encoding="utf-8") == "mine"


def test_the_page_lists_what_the_code_has() -> None:
    spec = read_spec(ROOT / "specs/final-checkpoint/pair.toml", catalogue())
    page = offers_page(spec.instance())
    for name in rule_names(spec.protocol):
        assert f"\n| `{name}(" in page, name
    assert re.search(r"\| `_retrigger\(.*\)` \| writes \| A part of `trigger_failed`\. \|", page)
    assert "A part of ." not in page
    assert "`_refuse_unexplored" not in page  # it is no part of a rule
    status = next(line for line in page.splitlines() if line.startswith("| `status` | `Enum(Task"))
    assert "One of `TaskStatus.RESTORING`, `TaskStatus.RUNNING`" in status
    assert "Import: `from finale.jobs import TaskStatus`." in status
    imports = set(re.findall(r"Import: `(.*?)`", page))
    assert "from finale.jobs import CheckpointStatus" in imports
    for line in imports:
        exec(line, {})  # each can be written as it stands
    assert "| `newest` | `Option(Ref(CheckpointId))` | `Nothing` | The newest checkpoint" in page
    assert "| `finish_race` |" in page
    assert page.count(ALL_HISTORY) == 1
    told = {
        line.rpartition("`[observe] ")[2].partition(" ")[0]
        for line in page.splitlines()
        if "`[observe] " in line and line.startswith("|")
    }
    assert told <= set(spec.protocol.ghosts)
    recovery = next(line for line in page.splitlines() if line.startswith("| `failures` |"))
    assert "Only in settings that need it." in recovery
    assert all(line.count("|") >= 3 for line in page.splitlines() if line.startswith("|"))


@pytest.mark.parametrize("helper", ["_retrigger", "_plan"])
def test_a_private_helper_can_be_overridden_and_the_project_file_is_enough(
    helper: str, tmp_path: Path
) -> None:
    made = run(f"new review --rule {helper}", tmp_path)
    assert (made.exit, made.stderr) == (0, "")
    assert f"def {helper}(self" in (tmp_path / "review/protocols/my_change.py").read_text("utf-8")
    checked = run("check", tmp_path / "review")
    assert checked.exit == 0
    assert "1 spec checked · all as expected" in checked.stdout


@pytest.mark.parametrize("name", ["__init__", "_nothing", "key"])
def test_what_is_no_method_of_the_protocol_is_refused(name: str, tmp_path: Path) -> None:
    ran = run(f"new review --rule {name}", tmp_path)
    assert ran.exit == 2
    assert "error[unknown-rule]" in ran.stderr
    assert not (tmp_path / "review").exists()
