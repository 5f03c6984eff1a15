"""Reads a spec: a TOML file with a protocol, a job, bounds and expected verdicts.

Everything in it is checked before anything is searched; a mistake is an error with file, line and
key. A spec never runs code: it names protocols, and `loading` knows where they come from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED
from finale.model.errors import FinaleError, Place, nearest
from finale.model.language.assumptions import Leaving
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol, Setting
from finale.model.topology import Job

from .catalogue import Catalogue
from .claim import ExactCounts, Expectation, Resumption, Spec, located
from .files import toml_in
from .key_lines import KeyLines
from .releases import ReleaseConfig, preset_of_spec
from .typed import Complain, in_toml, is_list, is_table, numbers_of, options_of, refuse_misplaced

KEYS = (
    "title", "cites", "fixed_in", "protocol", "variant", "release", "slow",
    "without", "options", "job", "sizes", "bounds", "observe", "resume", "search", "expect",
)  # fmt: skip
#: The number of a release of what had a bug.
RELEASE = re.compile(r"\d+(\.\d+)+")
RESUME_KEYS = ("from",)
COUNT_KEYS = ("states", "transitions", "depth", "counted_by")
EXPECT_KEYS = ("property", "verdict", "steps")
VERDICTS = ("holds", "violated", "vacuous", "unknown", "not-asked", "does-not-apply")
#: The verdicts that can come with a trace, and so with its length.
VERDICTS_WITH_TRACE = ("holds", "violated", "unknown")
#: Who may have given a second opinion on counts: contracts, section 4.
COUNTERS = ("bench", "concrete", "published", "spin", "tlc")
BUILT_IN = (WELL_FORMED, NO_DEADLOCK)
LISTED = "finale list properties prints all of them"


def read_spec(file: Path, catalogue: Catalogue) -> Spec:
    """The spec in a file. Raises coded errors with file, line and key."""
    return spec_of(file, *toml_in(file), catalogue)


def spec_of(file: Path, table: Mapping[str, object], lines: KeyLines, catalogue: Catalogue) -> Spec:
    """The spec that a file's table is. Raises coded errors with file, line and key."""
    if "operators" in table:
        raise FinaleError(
            "not-a-spec",
            "this file is a job, not a spec",
            place=Place(str(file)),
            advice="run the job with finale engine run; judge its events.ndjson with finale "
            "conform",
        )
    try:
        spec = _Reader(file, table, lines, catalogue).spec()
        spec.refuse_too_wide_job()
        spec.instance()
    except FinaleError as error:
        raise located(error, file, lines) from None
    return spec


class _Reader:
    """Takes the table of one file apart."""

    def __init__(
        self, file: Path, table: Mapping[str, object], lines: KeyLines, catalogue: Catalogue
    ) -> None:
        self.file = file
        self.table = table
        self.lines = lines
        self.catalogue = catalogue

    def error(self, code: str, message: str, advice: str, *path: str | int) -> FinaleError:
        key = ".".join(str(part) for part in path if isinstance(part, str))
        place = Place(str(self.file), self.lines.of(*path), key or None)
        return FinaleError(code, message, place=place, advice=advice)

    def spec(self) -> Spec:
        self._check_keys(self.table, KEYS)
        title = self._text("title")
        key = self._text("protocol")
        kind, variant = self._protocol(key)
        under, preset = self._release(kind)
        resumption = self._resumption(kind)
        setting = self._setting(kind, preset, resumption)
        expectations = self._expectations(kind, setting)
        return Spec(
            self.file,
            title,
            self._cites(),
            kind,
            variant,
            self._slow(),
            setting,
            self._counts(),
            expectations,
            self._families(kind, setting),
            self.lines,
            self.catalogue,
            under,
            resumption,
            table=self.table,
            fixed_in=self._fixed_in(),
        )

    def _families(self, kind: type[Protocol], setting: Setting) -> tuple[Family, ...]:
        """The properties that apply and whose history is kept."""
        return tuple(
            family
            for family in self.catalogue.properties.values()
            if can_apply(family, kind) and (family.needs is None or family.needs in setting.observe)
        )

    # --- the top level ---------------------------------------------------------------------------

    def _check_keys(
        self, table: Mapping[str, object], known: Sequence[str], *path: str | int
    ) -> None:
        for name in table:
            if name not in known:
                where = f"[{path[0]}]" if path else "a spec"
                message = f'"{name}" means nothing in {where}'
                raise self.error("unknown-key", message, nearest(name, known), *path, name)

    def _text(self, key: str) -> str:
        if key not in self.table:
            raise self.error(
                "missing-key", f'the spec has no "{key}"', f'write {key} = "…" at the top'
            )
        value = self.table[key]
        if not isinstance(value, str) or not value.strip():
            raise self._bad(key, value, f'write {key} = "…"')
        return value

    def _bad(self, key: str, value: object, advice: str) -> FinaleError:
        message = f'"{key}" cannot be {in_toml(value)}'
        return self.error("bad-value", message, advice, *key.split("."))

    def _cites(self) -> tuple[str, ...]:
        return self._texts("cites", 'write a list of texts: cites = ["FLIP-147"]')

    def _fixed_in(self) -> tuple[str, ...]:
        advice = 'write a list of releases: fixed_in = ["1.13.3", "1.14.0"]'
        found = self._texts("fixed_in", advice)
        if not all(map(RELEASE.fullmatch, found)):
            raise self._bad("fixed_in", self.table["fixed_in"], advice)
        return found

    def _texts(self, key: str, advice: str) -> tuple[str, ...]:
        given = self.table.get(key, [])
        texts = [each for each in given if isinstance(each, str)] if is_list(given) else []
        if not is_list(given) or len(texts) != len(given):
            raise self._bad(key, given, advice)
        return tuple(texts)

    def _slow(self) -> bool:
        slow = self.table.get("slow", False)
        if not isinstance(slow, bool):
            raise self._bad("slow", slow, "write true or false")
        return slow

    def _table(self, key: str) -> Mapping[str, object]:
        value = self.table.get(key, {})
        if not is_table(value):
            raise self._bad(key, value, f"write a table: [{key}]")
        return value

    def _protocol(self, key: str) -> tuple[type[Protocol], str | None]:
        try:
            kind = self.catalogue.protocol(key)
            variant = self._text("variant") if "variant" in self.table else None
            if variant is not None:
                kind = self.catalogue.variant(key, variant)
            kind = self._apart(kind)
        except FinaleError as error:
            named = {"unknown-protocol": "protocol", "unknown-variant": "variant"}.get(error.code)
            if named is None:
                raise
            raise self.error(error.code, error.message, error.advice, named) from None
        return kind, variant

    def _resumption(self, kind: type[Protocol]) -> Resumption | None:
        if "resume" not in self.table:
            return None
        if not kind.starts_from_snapshots:
            message = f'the protocol "{kind.key}" has no resumed runs'
            raise self.error("no-resume", message, 'leave out "resume"', "resume")
        table = self._table("resume")
        self._check_keys(table, RESUME_KEYS, "resume")
        name, complain = table.get("from"), self._within("resume")
        if not isinstance(name, str) or not name:
            message = '[resume] does not say from which spec: "from" is its file'
            raise complain("missing-key", message, 'write from = "first.toml"', "from")
        if _is_circle(self.file, name):
            message, advice = (
                f'"{name}" is itself resumed from this spec',
                "let the first of them begin by itself",
            )
            raise complain("resume-cycle", message, advice, "from")
        first = read_spec(self.file.parent / name, self.catalogue)
        if not first.protocol.starts_from_snapshots:
            message = (
                f'"{first.protocol.key}", the protocol of "{name}", leaves no snapshots behind'
            )
            raise complain(
                "resume-from-other", message, "resume from specs of this protocol", "from"
            )
        return Resumption(first)

    def _release(self, kind: type[Protocol]) -> tuple[ReleaseConfig | None, Mapping[str, object]]:
        if "release" not in self.table:
            return None, {}
        try:
            return preset_of_spec(kind, self._text("release"))
        except FinaleError as error:
            raise self.error(error.code, error.message, error.advice, "release") from None

    # --- the setting -----------------------------------------------------------------------------

    def _setting(
        self, kind: type[Protocol], preset: Mapping[str, object], resumption: Resumption | None
    ) -> Setting:
        job = self._job(kind)
        kinds = {"options": kind.Options, "bounds": kind.Bounds, "sizes": kind.Sizes}
        for table in kinds:
            refuse_misplaced(table, self._table(table), kinds, self._within(table))
        given = {**preset, **self._table("options")}
        complain, having = self._within("options"), self.catalogue.protocols_with_option
        options = options_of(kind.Options, given, complain, having)
        bounds = numbers_of("bound", kind.Bounds, self._table("bounds"), self._within("bounds"))
        sizes = numbers_of("size", kind.Sizes, self._table("sizes"), self._within("sizes"))
        former = None if resumption is None else resumption.former()
        without = self._without(kind)
        return Setting(job, sizes, options, bounds, self._observe(kind), former, without)

    def _apart(self, kind: type[Protocol]) -> type[Protocol]:
        """The protocol with the atomic steps apart that the spec leaves out."""
        names = sorted(self._without(kind))
        if not names:
            return kind
        known = kind.assumptions()
        for name in names:
            if known[name].leaving is Leaving.AT_ONCE:
                kind = known[name].apart_from(kind)
        return kind

    def _without(self, kind: type[Protocol]) -> frozenset[str]:
        """The assumptions that the spec leaves out. Raises `unknown-assumption`."""
        given = self.table.get("without", [])
        names = [each for each in given if isinstance(each, str)] if is_list(given) else []
        if not is_list(given) or len(names) != len(given):
            raise self._bad("without", given, 'write a list of names: without = ["may-be-pending"]')
        if not names:
            return frozenset()
        known = kind.assumptions()
        for name in names:
            if name not in known:
                message = f'"{kind.key}" makes no assumption "{name}"'
                raise self.error("unknown-assumption", message, nearest(name, known), "without")
        return frozenset(names)

    def _within(self, table: str) -> Complain:
        return _Complain(self, table)

    def _job(self, kind: type[Protocol]) -> Job | None:
        if not kind.needs_job:
            if "job" in self.table:
                raise self.error(
                    "job-not-taken",
                    f'the protocol "{kind.key}" runs on no job',
                    "leave out [job]; [sizes] says how large it is, if it has sizes",
                    "job",
                )
            return None
        if "job" not in self.table:
            raise self.error(
                "job-missing",
                f'the protocol "{kind.key}" runs on a job, and the spec has none',
                'write [job] with its vertices, or with a shape: shape = "chain"',
            )
        return Job.from_table(self._table("job"))

    def _observe(self, kind: type[Protocol]) -> frozenset[str]:
        table = self._table("observe")
        for name, value in table.items():
            if name not in kind.ghosts:
                raise self.error(
                    "unknown-observation",
                    f'the protocol "{kind.key}" keeps no history called "{name}"',
                    nearest(name, kind.ghosts),
                    "observe",
                    name,
                )
            if not isinstance(value, bool):
                raise self._bad(f"observe.{name}", value, "write true or false")
        return frozenset(name for name, value in table.items() if value)

    # --- what is expected ------------------------------------------------------------------------

    def _counts(self) -> ExactCounts | None:
        if "search" not in self.table:
            return None
        table = self._table("search")
        self._check_keys(table, COUNT_KEYS, "search")
        for key in COUNT_KEYS:
            if key not in table:
                raise self.error(
                    "missing-key",
                    f'[search] has no "{key}"',
                    "give all counts and who counted, or leave out [search] and "
                    "let finale check --record write it",
                    "search",
                )
        states, transitions, depth = (
            self._count(f"search.{key}", table[key]) for key in COUNT_KEYS[:3]
        )
        counted_by = table["counted_by"]
        if not isinstance(counted_by, str) or counted_by not in COUNTERS:
            advice = nearest(str(counted_by), COUNTERS)
            raise self._bad("search.counted_by", counted_by, advice)
        return ExactCounts(states, transitions, depth, counted_by)

    def _count(self, key: str, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self._bad(key, value, "write a whole number, 0 or more")
        return value

    def _expectations(self, kind: type[Protocol], setting: Setting) -> dict[str, Expectation]:
        given = self.table.get("expect", [])
        rows = [row for row in given if is_table(row)] if is_list(given) else []
        if not is_list(given) or len(rows) != len(given):
            raise self._bad("expect", given, "write a table for each property: [[expect]]")
        found: dict[str, Expectation] = {}
        for position, row in enumerate(rows):
            expected = self._expectation(position, row)
            if expected.property in found:
                raise self.error(
                    "duplicate-expectation",
                    f'"{expected.property}" is expected twice',
                    "keep one [[expect]] for each property",
                    "expect",
                    position,
                    "property",
                )
            self._check_judged(position, expected, kind, setting)
            found[expected.property] = expected
        return found

    def _expectation(self, position: int, row: Mapping[str, object]) -> Expectation:
        at = ("expect", position)
        self._check_keys(row, EXPECT_KEYS, *at)
        for key in ("property", "verdict"):
            if not isinstance(row.get(key), str):
                given = f"cannot be {in_toml(row[key])}" if key in row else "is missing"
                raise self.error(
                    "bad-value" if key in row else "missing-key",
                    f'"{key}" {given}',
                    f'write {key} = "…" in this [[expect]]',
                    *at,
                    key,
                )
        name, verdict, steps = str(row["property"]), str(row["verdict"]), row.get("steps")
        if verdict not in VERDICTS:
            message, advice = f'"{verdict}" is no verdict', nearest(verdict, VERDICTS)
            raise self.error("unknown-verdict", message, advice, *at, "verdict")
        if steps is None:
            return Expectation(name, verdict)
        if isinstance(steps, bool) or not isinstance(steps, int) or steps < 0:
            message, advice = f"a trace cannot have {in_toml(steps)} steps", "write a whole number"
            raise self.error("bad-value", message, advice, *at, "steps")
        if verdict not in VERDICTS_WITH_TRACE:
            message, advice = f'"{verdict}" comes without a trace', 'leave out "steps"'
            raise self.error("bad-value", message, advice, *at, "steps")
        return Expectation(name, verdict, steps)

    def _check_judged(
        self, position: int, expected: Expectation, kind: type[Protocol], setting: Setting
    ) -> None:
        name, at = expected.property, ("expect", position, "property")
        if name in BUILT_IN:
            return
        family = self.catalogue.properties.get(name)
        if family is None:
            known = (*BUILT_IN, *self.catalogue.properties)
            message = f'there is no property "{name}"'
            raise self.error("unknown-property", message, nearest(name, known, LISTED), *at)
        if expected.verdict == "does-not-apply":
            return
        if not can_apply(family, kind):
            raise self.error(
                "does-not-apply",
                f'"{name}" says nothing about the protocol "{kind.key}"',
                'expect the verdict "does-not-apply", or leave it out',
                *at,
            )
        if family.needs is not None and family.needs not in setting.observe:
            raise self.error(
                "not-observed",
                f'"{name}" reads the history "{family.needs}", which is not kept',
                f"write {family.needs} = true in [observe]",
                *at,
            )


@dataclass(frozen=True)
class _Complain:
    """Makes errors about keys of one table."""

    reader: _Reader
    table: str

    def __call__(self, code: str, message: str, advice: str, key: str) -> FinaleError:
        path = (self.table, key) if key else (self.table,)
        return self.reader.error(code, message, advice, *path)


def check_property_name(name: str, catalogue: Catalogue) -> None:
    """Raises `unknown-property` for a name on the command line that no property has."""
    names = (*BUILT_IN, *catalogue.properties)
    if name not in names:
        raise FinaleError(
            "unknown-property",
            f'there is no property "{name}"',
            advice=nearest(name, names, LISTED),
        )


def can_apply(family: Family, kind: type[Protocol]) -> bool:
    """Whether a protocol implements the view of a property and can keep the history it needs."""
    return family.view in kind.__mro__ and (family.needs is None or family.needs in kind.ghosts)


def _is_circle(file: Path, name: str) -> bool:
    """Whether the spec that `file` resumes from leads back to `file` or to another circle."""
    seen = {file.resolve()}
    while (file := (file.parent / name).resolve()) not in seen:
        seen.add(file)
        resume = toml_in(file)[0].get("resume")
        following = resume.get("from") if is_table(resume) else None
        if not isinstance(following, str):
            return False
        name = following
    return True


__all__ = [
    "BUILT_IN",
    "ExactCounts",
    "Expectation",
    "Spec",
    "can_apply",
    "check_property_name",
    "read_spec",
    "spec_of",
]
