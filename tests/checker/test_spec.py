"""Reading specs: what they resolve to. What is refused is in the transcripts of `tests/cli`."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.search.run import run as run_spec
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import ExactCounts, Expectation, Spec
from finale.checker.spec.reading import BUILT_IN, read_spec
from finale.checker.studies.recording import with_counts
from finale.model.errors import FinaleError
from finale.model.protocols.registry import PROTOCOLS, Entry
from tests.cli.running import HERE, ROOT, run

PING = HERE / "inputs" / "protocols"
MINIMAL = 'title = "One claim"\nprotocol = "ping-pong"\n'


def read(folder: Path, text: str) -> Spec:
    file = folder / "spec.toml"
    file.write_text(text, encoding="utf-8")
    return read_spec(file, catalogue(PING))


def test_a_minimal_spec_takes_all_defaults(tmp_path: Path) -> None:
    spec = read(tmp_path, MINIMAL)
    assert spec.setting.bounds == {"pings": 2, "room": 1, "losses": 0}
    assert spec.setting.options == {}
    assert spec.counts is None
    assert not spec.expectations
    assert not spec.slow
    instance = spec.instance()
    assert instance.options.answer.value == "always"
    assert int(instance.bounds.pings) == 2


def test_everything_a_spec_can_say(tmp_path: Path) -> None:
    spec = read(
        tmp_path,
        'cites = ["PP-1"]\nslow = true\nvariant = "forgets"\n'
        + MINIMAL
        + "options = { answer = 'maybe-later', lossy = true, repeat = 'once', patience = 3 }\n"
        + "[bounds]\nlosses = 2\n[observe]\nanswers = true\n"
        + '[search]\nstates = 1\ntransitions = 2\ndepth = 3\ncounted_by = "spin"\n'
        + '[[expect]]\nproperty = "no-deadlock"\nverdict = "violated"\nsteps = 3\n'
        + '[[expect]]\nproperty = "agreement"\nverdict = "does-not-apply"\n',
    )
    assert spec.cites == ("PP-1",)
    assert spec.slow
    assert spec.variant == "forgets"
    assert spec.protocol.__name__ == "Forgets"
    assert spec.counts == ExactCounts(1, 2, 3, "spin")
    assert list(spec.expectations.values()) == [
        Expectation("no-deadlock", "violated", 3),
        Expectation("agreement", "does-not-apply"),
    ]
    options = spec.instance().options
    assert (options.answer.name, options.lossy) == ("MAYBE_LATER", True)
    assert (options.repeat, options.patience) == ("once", 3)
    assert spec.setting.bounds["losses"] == 2
    assert spec.setting.observe == {"answers"}


def test_a_property_joins_when_its_history_is_kept(tmp_path: Path) -> None:
    without = {family.name for family in read(tmp_path, MINIMAL).families}
    text = MINIMAL + "[observe]\nanswers = true\n"
    with_history = {family.name for family in read(tmp_path, text).families}
    assert with_history - without == {"few-answers"}
    assert "agreement" not in with_history


def test_choosing_properties_does_not_change_the_system(tmp_path: Path) -> None:
    spec = read(tmp_path, MINIMAL)
    everything, nothing = spec.system(), spec.system(())
    assert everything.initial == nothing.initial
    assert [str(rule) for rule in everything.rules] == [str(rule) for rule in nothing.rules]


def test_the_limit_of_a_bound_may_be_declared(tmp_path: Path) -> None:
    assert read(tmp_path, MINIMAL + "[bounds]\nlosses = 0\n").setting.bounds["losses"] == 0
    with pytest.raises(FinaleError, match="from 1 to"):
        read(tmp_path, MINIMAL + "[bounds]\npings = 0\n")


# --- what can be named ---------------------------------------------------------------------------


@pytest.mark.parametrize("entry", PROTOCOLS, ids=lambda entry: entry.key)
def test_the_registry_names_classes_by_their_keys(entry: Entry) -> None:
    known = catalogue()
    protocol = known.protocol(entry.key)
    assert protocol.key == entry.key
    for name in known.variants_of(entry.key):
        variant = known.variant(entry.key, name)
        assert issubclass(variant, protocol)
        assert variant is not protocol
        assert variant.key == entry.key
        assert getattr(variant, "variant", None) == name
        must_fall: object = getattr(variant, "must_fall", None)
        assert must_fall in (*known.properties, "well-formed", "no-deadlock"), name


def test_a_spec_of_one_protocol_loads_no_other() -> None:
    # In this process others may be loaded already: only a fresh one can tell.
    import subprocess
    import sys

    program = (
        "import sys; from pathlib import Path; from finale.checker.spec.catalogue import catalogue;"
        "from finale.checker.spec.reading import read_spec;"
        "read_spec(Path('specs/yardstick/one-checkpoint.toml'), catalogue());"
        "print([m for m in sys.modules if m.startswith('finale.model.protocols.')])"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "finale.model.protocols.yardstick" in told.stdout
    assert "two_phase_commit" not in told.stdout
    assert "finale.model.protocols.broken." not in told.stdout


def test_files_of_a_folder_import_each_other(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text((PING / "ping.py").read_text(encoding="utf-8"))
    (tmp_path / "own.py").write_text(
        '"""A variant in a file of its own."""\n\nfrom .base import PingPong\n\n\n'
        'class Quiet(PingPong):\n    """Says nothing."""\n\n    def terminal(self):\n'
        '        return True\n\n\nVARIANTS = {"quiet": Quiet}\n'
    )
    known = catalogue(tmp_path)
    assert known.variant("ping-pong", "quiet").__mro__[1] is known.protocol("ping-pong")


# --- recording -----------------------------------------------------------------------------------

COUNTS = ExactCounts(10, 20, 3, "concrete")
TABLE = '[search]\nstates      = 10\ntransitions = 20\ndepth       = 3\ncounted_by  = "concrete"\n'
EXPECT = '# why\n[[expect]]\nproperty = "p"  # here\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = 1", f"a = 1\n\n{TABLE}"),
        ("a = 1\n\n\n", f"a = 1\n\n{TABLE}"),
        (f"a = 1\n\n{EXPECT}", f"a = 1\n\n{TABLE}\n{EXPECT}"),
        ('expect = [{ property = "p" }]\n', f'expect = [{{ property = "p" }}]\n\n{TABLE}'),
        (
            "[search]\ndepth=1 # deep\nstates = 7_000\n  transitions =2\ncounted_by = 'spin'\n",
            '[search]\ndepth=3 # deep\nstates = 10\n  transitions =20\ncounted_by = "concrete"\n',
        ),
        (
            'search = { states = 1, transitions = 1, depth = 1, counted_by = "tlc" }\n',
            'search = { states = 10, transitions = 20, depth = 3, counted_by = "concrete" }\n',
        ),
        (
            "search.states = 1\nsearch.transitions = 1\nsearch.depth = 1\n"
            'search.counted_by = "tlc"\n',
            "search.states = 10\nsearch.transitions = 20\nsearch.depth = 3\n"
            'search.counted_by = "concrete"\n',
        ),
    ],
)
def test_only_the_counts_of_a_spec_are_rewritten(before: str, after: str) -> None:
    assert with_counts(before, COUNTS) == after


COIN = """
from finale.model.rules import Bool, Protocol, always, field, reachable, rule

class Coin(Protocol):
    key = "coin"
    up = field(Bool, False)

    @rule
    def toss(self) -> None:
        "It lands on the other side."
        self.up = not self.up

@reachable(on_request=True)
def lands_on_heads(state: Coin) -> bool:
    "Heads are up."
    return state.up

@always(witness="lands-on-heads", on_request=True)
def has_two_sides(state: Coin) -> bool:
    "It has two sides."
    return state.up in (True, False)

PROTOCOLS = (Coin,)
PROPERTIES = (lands_on_heads, has_two_sides)
"""


def test_a_property_on_request_is_asked_where_it_is_expected_or_named(tmp_path: Path) -> None:
    (tmp_path / "coin.py").write_text(COIN, encoding="utf-8")
    text = 'title = "A coin"\nprotocol = "coin"\n'
    row = '[[expect]]\nproperty = "lands-on-heads"\nverdict = "holds"\nsteps = 1\n'
    (tmp_path / "plain.toml").write_text(text, encoding="utf-8")
    (tmp_path / "expects.toml").write_text(text + row, encoding="utf-8")
    known = catalogue(tmp_path)
    plain, expects = (read_spec(tmp_path / f"{n}.toml", known) for n in ("plain", "expects"))
    assert [row.property for row in run_spec(plain).rows if row.is_claim] == list(BUILT_IN)
    assert {row.property for row in run_spec(expects).rows} > {"lands-on-heads"}
    assert "has-two-sides" not in {row.property for row in run_spec(expects).rows}
    named = run_spec(plain, only={"has-two-sides"})
    assert [(row.property, row.word) for row in named.rows] == [("has-two-sides", "holds")]
    listed = run("list properties --of coin --protocols .", tmp_path).stdout
    assert "Heads are up. · on request" in listed
