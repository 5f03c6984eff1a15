"""What `--changed-since` compares: specs, code, and what the project file decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from finale.model.errors import FinaleError

from .errors import tell
from .project import Counting, counting, own_keys

if TYPE_CHECKING:
    from finale.checker.spec.changed import ChangedFiles


def changes_in(revision: str, paths: Sequence[Path], protocols: Path | None) -> ChangedFiles | None:
    """Return what changed since a revision; None if every spec has to be checked.

    A sentence on stderr says why every spec is checked, or that nothing can differ.
    Raises `no-repository`, `unknown-revision`, `no-git`.
    """
    from finale.checker.spec.changed import changed_since

    there = [path for path in (*paths, protocols) if path is not None and path.exists()]
    folders = [path if path.is_dir() else path.parent for path in there]
    changed = changed_since(revision, folders)
    why = _why_all(revision, counting(), changed)
    if why:
        tell(f"note: {why}, so every spec is checked")
        return None
    if changed.are_none:
        tell(
            f"note: {revision} is the current commit, and no file differs from it: "
            "--changed-since compares this commit with itself"
        )
    return changed


def _why_all(revision: str, now: Counting, changed: ChangedFiles) -> str:
    """Half a sentence on why a project file concerns every spec, or nothing."""

    def table_then(file: Path) -> Mapping[str, object] | None:
        text = changed.text_then(file)
        return None if text is None else _keys_in(text, file)

    outside = [each.shown for each in now.projects if not changed.can_tell(each.file)]
    if outside:
        return f"{outside[0]} is in no repository that is compared"
    then = now.as_found_by(table_then)
    tables_now, tables_then = (
        {each.shown: each.table for each in found.projects} for found in (now, then)
    )
    for file in tables_now | tables_then:
        new, old = tables_now.get(file, {}), tables_then.get(file, {})
        keys = sorted(key for key in {*new, *old} if new.get(key) != old.get(key))
        if keys:
            return f"{file} has changed since {revision} ({', '.join(keys)})"
    return ""


def _keys_in(text: bytes, file: Path) -> Mapping[str, object] | None:
    """The keys that a text of a project file had; a text that cannot be read had none."""
    from finale.checker.spec.files import decoded, toml_of

    try:
        return own_keys(toml_of(decoded(text, str(file)), str(file))[0], file)
    except FinaleError:
        return {}


__all__ = ["changes_in"]
