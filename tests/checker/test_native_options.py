"""However the native search goes about it, it answers the same: threads, storage, growth."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from finale.checker.search.limits import LimitHit, Limits
from finale.checker.search.native import nodes, workers
from finale.checker.search.native.breadth_first import NativeSearch, states_left
from finale.checker.search.native.finished import FinishedSearch
from finale.checker.search.native.free_memory import share_of_free_memory
from finale.checker.search.native.kernel import places as at
from finale.checker.search.native.layout import ALL_ONES
from finale.checker.search.native.loops import loops
from finale.checker.search.native.machine import NativeMachine
from finale.checker.search.native.nodes import Nodes, tree_over
from finale.checker.search.native.search import check, report_of, searched
from finale.checker.search.native.storage import DiskStore, Storage, collision_probability
from finale.checker.search.native.tables import Tables
from finale.checker.search.options import SearchOptions
from finale.checker.search.reductions.find import find_all
from finale.checker.search.reductions.kinds import Reduction
from finale.checker.search.verdict import Report, Statistics, Verdict, Word
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.protocols.two_phase_commit import TwoPhaseCommit
from finale.model.protocols.yardstick import Yardstick
from finale.model.rules import Setting
from finale.model.system import System
from tests.protocols.specs import name_of, specs
from tests.zoo import ZOO
from tests.zoo.animal import Animal
from tests.zoo.fairness import LASSO
from tests.zoo.values import COUNTER

OPTIONS = [
    SearchOptions(threads=2),
    SearchOptions(threads=5),
    SearchOptions("compressed", threads=1),
    SearchOptions("compressed", threads=2),
    SearchOptions("hashed", threads=1),
    SearchOptions("hashed", threads=2),
]
#: Specs with states enough for threads to meet, and few enough to be quick; one a folder.
LARGE = {
    spec.file.parent: spec
    for spec in specs()
    if spec.counts is not None and 3_000 < spec.counts.states < 10_000
}


def means_name(options: SearchOptions) -> str:
    return f"{options.storage}-{options.threads}"


@pytest.fixture(autouse=True)
def _threads_from_the_first_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "STATES_WORTH_THREADS", 0)


def yardstick(records: int, checkpoints: int, channel: int) -> System:
    bounds = {"records": records, "checkpoints": checkpoints, "channel": channel}
    return build(Yardstick(Setting(bounds=bounds)))


def bare(verdict: Verdict) -> Verdict:
    """A verdict without how it was reached."""
    return replace(verdict, how="", is_shortest=True)


def told(report: Report, but: Sequence[str] = ()) -> object:
    verdicts = [bare(each) for each in report.verdicts if each.property not in but]
    statistics = replace(report.statistics, seconds=0)
    return statistics, verdicts, report.dead_branches, report.exercised


def assert_agree(system: System, limits: Limits) -> None:
    machine = NativeMachine(system)
    liveness = [prop.name for prop in system.properties if prop.kind.is_liveness]

    def report(options: SearchOptions) -> Report:
        search = NativeSearch(machine, limits, None, options)
        search.run()
        return report_of(search)

    expected = report(SearchOptions(threads=1))
    for options in OPTIONS:
        but = liveness if options.storage == "hashed" else []
        assert told(report(options), but) == told(expected, but), options


@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_the_zoo_is_answered_the_same(animal: Animal) -> None:
    assert_agree(build(animal.make(), animal.families), Limits())


@pytest.mark.parametrize("spec", LARGE.values(), ids=lambda spec: name_of(spec.file))
def test_specs_are_answered_the_same(spec: Spec) -> None:
    assert_agree(spec.system(), Limits())


@pytest.mark.parametrize("states_max", [1, 2, 255, 1000, 4567, 20_000])
def test_a_limit_cuts_off_at_the_same_step(states_max: int) -> None:
    assert_agree(yardstick(1, 2, 2), Limits(states_max=states_max))


@pytest.mark.parametrize("options", OPTIONS, ids=means_name)
def test_the_third_rung(options: SearchOptions) -> None:
    search = searched(yardstick(5, 2, 3), Limits(), None, options=options)
    found = search.statistics
    assert (found.states, found.transitions, found.depth) == (1_206_119, 10_084_250, 59)
    most = {"exact": 45, "compressed": 22, "hashed": 22}[options.storage]
    assert search.tables.bytes <= most * found.states


@pytest.mark.parametrize("states_max", range(40, 3_000, 97))
def test_a_limit_is_kept_where_parts_need_room(
    states_max: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nodes, "ROOM_MIN", 1)
    system, limits = yardstick(2, 1, 3), Limits(states_max=states_max)
    expected = told(check(system, limits, options=SearchOptions(threads=1)))
    assert told(check(system, limits, options=SearchOptions("compressed", threads=4))) == expected


def test_parents_are_found_where_there_was_no_room_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    search = NativeSearch(
        NativeMachine(yardstick(1, 2, 2)), Limits(), None, SearchOptions("compressed", threads=1)
    )
    grown = Tables.grow_nodes

    def at_most_ten_thousand(self: Tables) -> None:
        if search.block[at.STATES] > 10_000:
            raise LimitHit("no room")
        grown(self)

    monkeypatch.setattr(Tables, "grow_nodes", at_most_ten_thousand)
    search.run()
    assert search.stopped == "no room"
    states = search.statistics.states
    assert all(
        FinishedSearch(search).parent(number) is not None for number in range(states - 300, states)
    )


@pytest.mark.parametrize("reduction", [Reduction.PARTIAL_ORDER, Reduction.SYMMETRY])
def test_reductions_count_the_same_however_they_are_searched(reduction: Reduction) -> None:
    system = build(TwoPhaseCommit(Setting(sizes={"managers": 4})))
    if reduction is Reduction.PARTIAL_ORDER:
        system = yardstick(2, 1, 3)
    under = find_all([reduction], system)
    expected = told(check(system, under=under, options=SearchOptions(threads=1)))
    for options in OPTIONS:
        if options.storage != "hashed":
            assert told(check(system, under=under, options=options)) == expected


def assert_agree_under_partial_order(system: System, limits: Limits) -> Statistics:
    """Hold storages and numbers of threads to one thread.

    Which rules a search that was cut off took within chains depends on its batches.
    """
    under = find_all([Reduction.PARTIAL_ORDER], system)

    def found(options: SearchOptions) -> tuple[Statistics, list[Verdict], object]:
        report = check(system, limits, under=under, options=options)
        verdicts = [bare(each) for each in report.verdicts]
        exercised = None if report.stopped else report.exercised
        return replace(report.statistics, seconds=0), verdicts, exercised

    expected = found(SearchOptions(threads=1))
    for options in OPTIONS:
        if options.storage != "hashed":
            assert found(options) == expected, options
    return expected[0]


def test_chains_are_searched_the_same_by_several_threads() -> None:
    """More than a batch of states, so that several threads have something to do."""
    assert assert_agree_under_partial_order(yardstick(1, 2, 2), Limits()).states > 4 * at.BATCH


@pytest.mark.parametrize("states_max", [1, 7, 300, 1_000, 2_590])
def test_a_limit_cuts_off_chains_at_the_same_step(states_max: int) -> None:
    found = assert_agree_under_partial_order(yardstick(1, 2, 2), Limits(states_max=states_max))
    assert found.states == states_max


def test_parts_of_the_states_in_chains_find_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "ROOM_MIN", 1)
    assert_agree_under_partial_order(yardstick(2, 1, 3), Limits())


# --- compressed ----------------------------------------------------------------------------------


@pytest.mark.parametrize("width", range(1, 12))
def test_every_word_is_in_the_tree_once(width: int) -> None:
    below, root = tree_over(width)
    if width == 1:
        assert not below
        return
    used = [*root, *(part for pair in below[width:] for part in pair)]
    assert sorted(used) == list(range(len(below)))
    assert all(max(pair) < number for number, pair in enumerate(below[width:], width))


@pytest.mark.parametrize("width", [1, 2, 3, 7])
def test_compressed_states_are_unpacked_as_they_were(width: int) -> None:
    block = np.zeros(at.SHARED_COUNT, np.int64)
    memory = Tables(width, block, loops(), Storage.COMPRESSED)
    drawn = np.random.default_rng(width).integers(0, ALL_ONES, 3000 * width, np.uint64, True)
    memory.append(drawn[: 1000 * width])
    memory.append(drawn[1000 * width :])
    assert np.array_equal(memory.unpacked(0, 3000), drawn)
    assert memory.words(2999) == drawn[-width:].tolist()
    assert isinstance(memory.nodes, Nodes)


# --- the table -----------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [1_000, 2_500, 7_000, 60_000])
def test_a_table_has_one_entry_for_each_state_however_it_grows(more: int) -> None:
    block, count, width = np.zeros(at.SHARED_COUNT, np.int64), 60_000, 2
    memory = Tables(width, block, loops())
    words = np.random.default_rng(more).permutation(np.arange(count * width, dtype=np.uint64))
    for first in range(0, count, more):
        memory.append(words[first * width : (first + more) * width])
    bits = int(block[at.TABLE_BITS])
    numbers = memory.table[memory.table != 0] & np.uint32((1 << bits) - 1)
    assert np.array_equal(np.sort(numbers), np.arange(1, count + 1))


@pytest.mark.parametrize("more", [1_000, 2_500, 7_000, 60_000])
def test_every_state_is_found_again_however_the_table_grew(more: int) -> None:
    block, count, width = np.zeros(at.SHARED_COUNT, np.int64), 60_000, 3
    memory = Tables(width, block, loops())
    words = np.random.default_rng(more).integers(0, 50, count * width, np.uint64)
    states = np.unique(words.reshape(-1, width), axis=0)
    for first in range(0, len(states), more):
        memory.append(states[first : first + more].reshape(-1))
        memory.grow(2 * int(block[at.STATES]))
        done = loops().receive(
            block.ctypes.data, states.ctypes.data, 0, min(first + more, len(states))
        )
        assert done == block[at.STATES] == min(first + more, len(states))


def test_the_loops_know_where_states_are_though_the_table_may_not_grow() -> None:
    block = np.zeros(at.SHARED_COUNT, np.int64)
    memory = Tables(1, block, loops(), Storage.HASHED, 2**17, DiskStore())
    with pytest.raises(LimitHit):
        memory.grow(2**16)
    assert block[at.STORE] == memory.store.ctypes.data
    assert block[at.STORE_ROOM] == memory.store.size >= 2**16
    assert block[at.TABLE] == memory.table.ctypes.data


# --- hashed --------------------------------------------------------------------------------------


def test_hashed_storage_says_how_sure_it_is() -> None:
    report = check(yardstick(1, 2, 2), options=SearchOptions("hashed"))
    hows = {answer.how for answer in report.verdicts}
    assert hows == {"exhaustive but for hash collisions (probability below 3e-10)"}
    assert collision_probability(10_000_000) == pytest.approx(2.7e-6, rel=0.01)


def test_what_hashed_storage_did_not_reach_may_be_a_collision() -> None:
    report = check(build(COUNTER.make(), COUNTER.families), options=SearchOptions("hashed"))
    unreached, violated = report.verdict_on("reaches-four"), report.verdict_on("skips-two")
    assert unreached is not None
    assert unreached.is_unreached
    assert "but for hash collisions" in unreached.how
    assert violated is not None
    assert violated.how == "exhaustive"  # its trace was replayed


def test_hashed_storage_answers_no_liveness() -> None:
    report = check(build(LASSO.make(), LASSO.families), options=SearchOptions("hashed"))
    assert report.stopped == "hashed storage keeps no state graph"
    unknown = [each for each in report.verdicts if each.word is Word.UNKNOWN]
    assert unknown
    assert len(unknown) < len(report.verdicts)


def test_a_full_disk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_file: int, _begin: int, _size: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(FinaleError) as caught:
        DiskStore().resized(1024)
    assert caught.value.code == "disk-full"


# --- what is refused, and where nobody says how much ---------------------------------------------


@pytest.mark.parametrize("threads", [0, -1, 257, 10**6])
def test_so_many_threads_are_refused(threads: int) -> None:
    with pytest.raises(FinaleError) as caught:
        SearchOptions(threads=threads)
    assert caught.value.code == "bad-limit"


def machine(root: Path, files: Mapping[str, object]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{text}\n")
    return root


MACHINE = {"proc/meminfo": "MemTotal: 4000 kB\nMemAvailable:  1000 kB"}
CONTAINER = "sys/fs/cgroup"


def test_part_of_what_is_free_is_taken(tmp_path: Path) -> None:
    assert share_of_free_memory(root=tmp_path) is None
    assert share_of_free_memory(root=machine(tmp_path, MACHINE)) == 1000 * 1024 * 8 // 10
    assert (share_of_free_memory() or 1) > 0


def test_a_container_has_less(tmp_path: Path) -> None:
    folder = f"{CONTAINER}/a/b"
    files = MACHINE | {
        "proc/self/cgroup": "0::/a/b",
        f"{folder}/memory.max": "max",
        f"{folder}/memory.current": 30_000,
        f"{folder}/memory.stat": "anon 20000\ninactive_file 10000",
        f"{CONTAINER}/a/memory.max": 100_000,
        f"{CONTAINER}/a/memory.current": 50_000,
        f"{CONTAINER}/a/memory.stat": "anon 20000\ninactive_file 10000",
    }
    assert share_of_free_memory(root=machine(tmp_path, files)) == 60_000 * 8 // 10
    (tmp_path / CONTAINER / "a/memory.current").write_text("200000\n")
    assert share_of_free_memory(root=tmp_path) == 0


def test_an_old_container_has_less(tmp_path: Path) -> None:
    folder = f"{CONTAINER}/memory"
    files = MACHINE | {
        "proc/self/cgroup": "4:cpu,memory:/docker/1\n1:name=systemd:/\n0::/",
        f"{folder}/memory.limit_in_bytes": 100_000,
        f"{folder}/memory.usage_in_bytes": 50_000,
        f"{folder}/memory.stat": "total_inactive_file 0",
    }
    assert share_of_free_memory(root=machine(tmp_path, files)) == 50_000 * 8 // 10


# --- how far it is -------------------------------------------------------------------------------


def test_what_is_left_is_estimated_only_where_levels_shrink() -> None:
    growing = np.cumsum([0, 1, 2, 4, 8, 16])
    shrinking = np.cumsum([0, 1600, 800, 400, 200, 100])
    assert states_left(growing, 5) is None
    assert states_left(growing[:2], 5) is None
    left = states_left(shrinking, 0)
    assert left == pytest.approx(100)
