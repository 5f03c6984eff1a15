"""A job on real files: what comes out is what goes in, however often the run is killed."""

from __future__ import annotations

import fcntl
from collections import Counter
from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.reference.formats.files import DiskFiles
from finale.reference.formats.jobfile import read_job
from finale.reference.runner import RunEnd, Runner, run

LINES_TO_WORDS = """
seconds = {seconds}

[operators.lines]
kind = "lines"
path = "texts/*.txt"
parallelism = 2

[operators.words]
kind = "words"
from = ["lines"]
parallelism = 2

[operators.out]
kind = "exactly-once"
from = ["words"]
"""
COUNTED = """
[operators.lines]
kind = "lines"
path = "texts/*.txt"

[operators.words]
kind = "words"
from = ["lines"]

[operators.counts]
kind = "count"
from = ["words"]
parallelism = 2

[operators.out]
kind = "exactly-once"
from = ["counts"]
"""


def prepared(folder: Path, job: str, *, lines: int, files: int = 3) -> Path:
    """A job with texts of its own: words that tell their line."""
    (folder / "texts").mkdir(parents=True)
    for number in range(files):
        text = "".join(f"w{number}.{n} all W{n % 7}\n" for n in range(lines))
        (folder / "texts" / f"{number}.txt").write_text(text)
    file = folder / "job.toml"
    file.write_text(job)
    return file


def expected(folder: Path) -> Counter[str]:
    texts = (file.read_text() for file in (folder / "texts").glob("*.txt"))
    return Counter(word for text in texts for word in text.lower().split())


def written(state: Path) -> Counter[str]:
    files = DiskFiles(state).under("output")
    return Counter(line for name in files for line in (state / name).read_text().splitlines())


def test_all_words_come_out_once(tmp_path: Path) -> None:
    job = prepared(tmp_path, LINES_TO_WORDS.format(seconds=0.01), lines=20_000)
    ended = run(read_job(job), tmp_path / "state")
    assert written(tmp_path / "state") == expected(tmp_path)
    assert ended.checkpoint is not None
    assert not DiskFiles(tmp_path / "state").under("pending")


def test_words_are_counted(tmp_path: Path) -> None:
    run(read_job(prepared(tmp_path, COUNTED, lines=500)), tmp_path / "state")
    counts = {f"{word}\t{count}": 1 for word, count in expected(tmp_path).items()}
    assert written(tmp_path / "state") == Counter(counts)


def test_a_finished_job_has_nothing_left_to_do(tmp_path: Path) -> None:
    job = prepared(tmp_path, LINES_TO_WORDS.format(seconds=0.01), lines=100)
    for _ in range(2):
        run(read_job(job), tmp_path / "state")
        assert written(tmp_path / "state") == expected(tmp_path)


PROTOCOLS = ("final-checkpoint", "unaligned")


class Cut(Exception):
    """The process ends here."""


class CutFiles(DiskFiles):
    """Files that end the process at one of the operations which make something durable."""

    def __init__(self, root: Path, left: int) -> None:
        super().__init__(root)
        self.left = left

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Cut

    def sync(self, name: str) -> None:
        self._count()
        super().sync(name)

    def rename(self, old: str, new: str) -> None:
        self._count()
        super().rename(old, new)

    def remove(self, name: str) -> None:
        self._count()
        super().remove(name)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("first", [0, 1, 2])
def test_a_run_that_is_cut_at_any_point_goes_on(tmp_path: Path, first: int, protocol: str) -> None:
    """Each start is cut a few operations later than the one before, until one gets through."""
    text = f'protocol = "{protocol}"\n{LINES_TO_WORDS.format(seconds=1e-9)}'
    job = read_job(prepared(tmp_path, text, lines=300))
    state = tmp_path / "state"
    cuts = 0
    for left in range(first, 10_000, 3):
        try:
            Runner(job, CutFiles(state, left)).run(None)
        except Cut:
            cuts += 1
        else:
            break
    assert cuts > 3
    assert written(state) == expected(tmp_path)


# --- what is refused ------------------------------------------------------------------------------


def refused(tmp_path: Path, text: str) -> FinaleError:
    with pytest.raises(FinaleError) as caught:
        run(read_job(prepared(tmp_path, text, lines=1)), tmp_path / "state")
    return caught.value


@pytest.mark.parametrize(
    ("old", "new", "code", "key"),
    [
        ('kind = "words"', 'kind = "wrods"', "unknown-operator", "operators.words.kind"),
        ('path = "texts/*.txt"', 'path = "none/*"', "no-input", "operators.lines.path"),
        ('path = "texts/*.txt"', 'paht = "x"', "unknown-key", "operators.lines.paht"),
        ('path = "texts/*.txt"', "", "missing-key", "operators.lines.path"),
        ('"words"', '"flat-map"\nfunction = "a:b"', "no-function", "operators.words.function"),
        ('from = ["lines"]', 'from = ["liens"]', "unknown-vertex", "operators.words.from"),
        ('from = ["lines"]', 'from = "lines"', "bad-value", "operators.words.from"),
        ("parallelism = 2", 'parallelism = "two"', "bad-value", "operators.counts.parallelism"),
        ("[operators.lines]", "seconds = 0\n[operators.lines]", "bad-value", "seconds"),
        ("[operators.lines]", "retained = 0\n[operators.lines]", "bad-value", "retained"),
        ("[operators.lines]", "checkpoint-format = 3\n[operators.lines]", "bad-value",
         "checkpoint-format"),
        ("[operators.lines]", '[operators."../lines"]', "bad-name", "operators.../lines"),
        ("[operators.lines]", "[operators.metadata]", "bad-name", "operators.metadata"),
        ("[operators.lines]", 'protocol = "x"\n[operators.lines]', "no-engine", "protocol"),
        ("[operators.lines]", "[operators.lines", "job-unreadable", None),
    ],
)  # fmt: skip
def test_a_wrong_job_is_refused(
    tmp_path: Path, old: str, new: str, code: str, key: str | None
) -> None:
    error = refused(tmp_path, COUNTED.replace(old, new, 1))
    assert error.code == code
    assert error.place is not None
    assert error.place.key == key
    assert not (tmp_path / "state" / "output").exists()


def test_a_function_that_raises_ends_the_run_and_it_goes_on(tmp_path: Path) -> None:
    module = tmp_path / "splits.py"
    own = 'kind = "flat-map"\nfunction = "splits:split"'
    text = LINES_TO_WORDS.format(seconds=0.01).replace('kind = "words"', own)
    job = prepared(tmp_path, text, lines=40_000)
    module.write_text(RAISES)
    with pytest.raises(FinaleError) as caught:
        run(read_job(job), tmp_path / "state")
    assert caught.value.code == "operator-raised"
    assert "ValueError" in str(caught.value)
    (tmp_path / "mended").touch()
    run(read_job(job), tmp_path / "state")
    assert written(tmp_path / "state") == expected(tmp_path)


RAISES = """
from pathlib import Path

def split(line):
    if "w2.30000" in line and not Path(__file__).with_name("mended").exists():
        raise ValueError("too much")
    return line.lower().split()
"""


def test_a_folder_belongs_to_one_job(tmp_path: Path) -> None:
    run(read_job(prepared(tmp_path, COUNTED, lines=1)), tmp_path / "state")
    (tmp_path / "job.toml").write_text(f'name = "other"\n{COUNTED}')
    with pytest.raises(FinaleError) as caught:
        run(read_job(tmp_path / "job.toml"), tmp_path / "state")
    assert caught.value.code == "folder-of-another-job"


def test_files_of_one_name_are_two_jobs(tmp_path: Path) -> None:
    jobs = [prepared(tmp_path / name, COUNTED, lines=1) for name in ("one", "two")]
    state = tmp_path / "state"
    run(read_job(jobs[0]), state)
    with pytest.raises(FinaleError) as caught:
        run(read_job(jobs[1]), state)
    assert caught.value.code == "folder-of-another-job"
    assert 'name = "job"' in str(caught.value.advice)
    jobs[1].write_text('name = "job"\n' + jobs[1].read_text())
    assert run(read_job(jobs[1]), state).end is RunEnd.FINISHED
    (state / "job.json").write_text("half")
    with pytest.raises(FinaleError) as caught:
        run(read_job(jobs[1]), state)
    assert caught.value.code == "owner-unreadable"
    (state / "job.json").write_text('{"name": "job"}')
    assert run(read_job(jobs[0]), state).end is RunEnd.FINISHED


def test_a_run_needs_a_folder(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    assert refused(tmp_path, COUNTED).code == "not-a-folder"


def test_a_folder_belongs_to_one_run_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    with (tmp_path / "state" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert refused(tmp_path, COUNTED).code == "folder-in-use"
