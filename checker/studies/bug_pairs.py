"""Compares a bug with its fix: `X.toml` and `fixed/X.toml` in a folder of bugs.

A bug that is not there any more, or a fix that fixes nothing, would be as expected by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from finale.model.errors import FinaleError, Place

FIXED = "fixed"


def is_fix(file: Path) -> bool:
    """Whether a file lies where fixes do."""
    return file.parent.name == FIXED


def counterpart_of(file: Path) -> Path:
    """Return the path of the fix for a bug, or of the bug for a fix."""
    return (file.parent.parent if is_fix(file) else file.parent / FIXED) / file.name


def folders_of_bugs(path: Path) -> Iterator[Path]:
    """The folders, this one and all below, that have a folder with fixes in them."""
    yield from sorted(fixed.parent for fixed in path.rglob(FIXED) if fixed.is_dir())


def mistakes_in_pairs(folder: Path, catalogue: Catalogue) -> Iterator[FinaleError]:
    """Return the mistakes in a folder of bugs and their fixes.

    The errors are `bug-without-fix`, `fix-without-bug`, `bug-not-there`. A spec that cannot be read
    is passed over: to read it for itself says why.
    """
    bugs, fixes = _specs(folder), _specs(folder / FIXED)
    for name in sorted(bugs | fixes):
        bug = folder / name
        fix = counterpart_of(bug)
        if name not in fixes:
            yield _alone("bug-without-fix", bug, "its fix", fix)
        elif name not in bugs:
            yield _alone("fix-without-bug", fix, "the bug that it mends", bug)
        else:
            try:
                found = _not_there(read_spec(bug, catalogue), read_spec(fix, catalogue))
            except FinaleError:
                continue
            if found is not None:
                yield found


def _specs(folder: Path) -> set[str]:
    return {file.name for file in folder.glob("*.toml") if file.is_file()}


def _alone(code: str, file: Path, other: str, there: Path) -> FinaleError:
    return FinaleError(
        code,
        f"{other} is expected as {there.name} in {_shown(there.parent)}, and is not there",
        place=Place(str(file)),
        advice="write it, or move this file out of the folder; given by itself it needs no pair",
    )


def _shown(folder: Path) -> str:
    return f"{FIXED}/" if folder.name == FIXED else f"the folder of {FIXED}/"


def _not_there(bug: Spec, fix: Spec) -> FinaleError | None:
    """`bug-not-there`, at the file of the two that does not do its part."""
    falls = [name for name, each in bug.expectations.items() if each.verdict == Word.VIOLATED]
    holds = {name for name, each in fix.expectations.items() if each.verdict == Word.HOLDS}
    if not falls:
        return _not_there_in(
            bug,
            "a bug beside its fix is expected to violate something, and this expects no violation",
            'expect the verdict "violated" of what its fix holds',
        )
    if holds.isdisjoint(falls):
        return _not_there_in(
            fix,
            f"of what falls with the bug ({', '.join(falls)}) the fix expects nothing to hold",
            f'expect the verdict "{Word.HOLDS}" of it here, with what mends the bug',
        )
    if _protocol(bug) == _protocol(fix):
        return _not_there_in(
            fix,
            "the fix has the protocol, the variant and the options of the bug: it mends nothing",
            "let the two differ in the option or the variant that is the bug",
        )
    return None


def _protocol(spec: Spec) -> tuple[object, object]:
    """Return the protocol class and all options: variants have their own class."""
    return spec.protocol, spec.instance().options


def _not_there_in(spec: Spec, message: str, advice: str) -> FinaleError:
    return FinaleError("bug-not-there", message, place=Place(str(spec.file)), advice=advice)
