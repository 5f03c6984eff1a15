"""A proof that a rule makes meaningless is not asked: which code reads what, and where."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.running import run
from tests.symbolic.planted import all_jobs, plants, unbounded


def planted(name: str, known: list[plants.Plant], folder: Path) -> tuple[str, str]:
    """Write the variant of a name, and return the arguments for its spec and for its folder."""
    plant = next(each for each in known if each.name == name)
    spec, code = plants.write(plant, folder)
    return str(spec), f"--protocols {code}"


def test_runs_of_any_length_are_not_asked(tmp_path: Path) -> None:
    command = " ".join(["prove", *planted("first", unbounded.plants(), tmp_path), "--unbounded"])
    ran = run(command, tmp_path)
    assert (ran.exit, ran.stderr) == (3, "")
    assert "Not asked" in ran.stdout
    assert "planted.py:" in ran.stdout
    assert '"checkpoints" of the protocol' in " ".join(ran.stdout.split())
    told = json.loads(run(f"{command} --format json", tmp_path).stdout)
    assert (told["verdict"], told["rule"]) == ("not-asked", "trigger_checkpoint")
    assert told["line"] > 1


def test_jobs_of_any_shape_are_not_asked(tmp_path: Path) -> None:
    _, folder = planted("producers", all_jobs.plants(), tmp_path)
    ran = run(f"prove --all-jobs --variant planted {folder}", tmp_path)
    assert (ran.exit, ran.stderr) == (3, "")
    assert "Not asked" in ran.stdout
    assert '"inputs" of' in " ".join(ran.stdout.split())


def test_ids_that_are_given_again_make_no_window_too_small(tmp_path: Path) -> None:
    spec = tmp_path / "goes-on.toml"
    spec.write_text(
        """title = "Few ids"
protocol = "final-checkpoint"
[job]
shape = "pair"
records = 1
[bounds]
live_checkpoints = 2
"""
    )
    ran = run(f"prove {spec} --unbounded --property decided-once", tmp_path)
    assert ran.exit == 0
    assert "decided-once  proven" in ran.stdout
