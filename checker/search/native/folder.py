"""A folder in which a search is saved: its lock, its errors, and files replaced in one step."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Collection
from pathlib import Path

from finale.model.errors import FinaleError, Place
from finale.model.written import write_whole


class SavedFolder:
    """A folder of a saved search. Each error of it has a code, the folder, and advice."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def refuse_others(self, found: Collection[str], known: Collection[str]) -> None:
        """Raises `resume-foreign` if a file was found that is none of the known ones."""
        others = set(found) - set(known)
        if others:
            raise self.error(
                "resume-foreign",
                f'the folder has other files in it: "{min(others)}"',
                "name a folder that is empty, or that a search was saved in",
            )

    def lock(self, file: int) -> None:
        """Lock an open file. Raises `resume-in-use` if another search has the lock."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(file)
            raise self.error(
                "resume-in-use",
                "another search is saved in this folder right now",
                "wait for it, or name another folder",
            ) from error

    def write(self, name: str, text: str) -> None:
        """Replace a file, on the disk too. Raises `disk-full`; then the old file stays valid."""
        try:
            write_whole(self.path / name, text, f"{Path(name).name}.part")
        except OSError as error:
            raise self.full(error) from error

    def sync(self, folder: str = "") -> None:
        """Make the names of files durable. Raises `disk-full`."""
        try:
            handle = os.open(self.path / folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise self.full(error) from error

    # --- errors ----------------------------------------------------------------------------------

    def error(self, code: str, what: str, advice: str) -> FinaleError:
        """Return an error about the folder."""
        return FinaleError(code, what, place=Place(str(self.path)), advice=advice)

    def unusable(self, error: OSError) -> FinaleError:
        """Return the error that the folder cannot be read or written."""
        why = "it is a file" if isinstance(error, FileExistsError) else error.strerror
        return self.error(
            "resume-folder",
            f"the folder cannot be used: {why}",
            "name a folder that can be read and written",
        )

    def corrupted(self, what: str) -> FinaleError:
        """Return the error that the saved search is damaged."""
        return self.error(
            "resume-corrupted",
            f"what was saved cannot be trusted: {what}",
            "the folder was left as it is; begin again in another one",
        )

    def other_version(self) -> FinaleError:
        """Return the error that another version has saved the search."""
        return self.error(
            "resume-foreign",
            "it was saved by another version, in a form that this one does not read",
            "resume it with that version, or begin again in another folder",
        )

    def full(self, error: OSError) -> FinaleError:
        """Return the error that something could not be written."""
        return self.error(
            "disk-full",
            f"what the search has seen could not be saved: {error.strerror}",
            "make room there and resume: what was saved before is still good",
        )
