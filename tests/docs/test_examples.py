"""The job among the examples is that of the engine's page, and does what is said there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.cli.running import run
from tests.docs.pages import ROOT

WORDCOUNT = ROOT / "examples" / "wordcount"


def test_the_engine_s_page_shows_the_example() -> None:
    page = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    job = (WORDCOUNT / "job.toml").read_text(encoding="utf-8")
    assert f"```toml\n{job}```\n" in page


def test_the_engine_s_page_shows_what_a_replay_prints() -> None:
    page = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    transcript = ROOT / "tests" / "cli" / "transcripts" / "good" / "replay.txt"
    _, _, printed = transcript.read_text(encoding="utf-8").partition("-- stdout --\n")
    assert f"```\n{printed.partition('-- exit --')[0]}```\n" in page


def test_the_example_counts_words(tmp_path: Path) -> None:
    state = tmp_path / "state"
    ran = run(f"engine run {WORDCOUNT / 'job.toml'} --directory {state}")
    assert ran.exit == 0
    assert ran.stdout.startswith("finished · job")
    words = Counter(
        word for file in WORDCOUNT.glob("texts/*.txt") for word in file.read_text().lower().split()
    )
    lines = [line for file in (state / "output").iterdir() for line in file.read_text().split("\n")]
    assert sorted(filter(None, lines)) == sorted(f"{word}\t{n}" for word, n in words.items())
    assert words["the"] == 14
    again = run(f"engine run {WORDCOUNT / 'job.toml'} --directory {state}")
    assert again.stdout.startswith("finished before")
