"""Sends requests to a run: one file for each request, and one file for each answer.

    control/<run>/<request>.ask      what is asked: {"what": "stop", "drain": true}
    control/<run>/<request>.answer   what has become of it: {"ok": true, "savepoint": "…"}

Each is renamed into place. `<run>` is a name that a run makes up and writes into its lock, so that
what an earlier run was asked is never taken for this one's.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from finale.model.errors import FinaleError, Place
from finale.model.given import json_of
from finale.reference.formats.folder import CONTROL, make_control, name_of_run

ASK, ANSWER = ".ask", ".answer"
SECONDS_BETWEEN_LOOKS = 0.05

Said = Mapping[str, Any]
"""A request, or the answer to one."""


class Control:
    """The requests to one run, as the run sees them."""

    def __init__(self, folder: Path, run: str) -> None:
        self.folder = make_control(folder, run)
        self.open: set[str] = set()
        self._stuck: set[str] = set()
        """Requests that cannot be taken away."""
        self._due = 0.0

    def asked(self) -> Iterator[tuple[str, object]]:
        """New requests, each once, by name; None for a file that is not JSON."""
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + SECONDS_BETWEEN_LOOKS
        for file in sorted(self.folder.glob(f"*{ASK}")):
            if file.stem in self._stuck:
                continue
            try:
                text = file.read_bytes()
                file.unlink()
            except FileNotFoundError:
                continue  # its sender has withdrawn it
            except OSError:
                self._stuck.add(file.stem)
                text = b""
            self.open.add(file.stem)
            yield file.stem, _read(text)

    def answer(self, name: str, **answer: object) -> None:
        """Tell what has become of a request; a job does not fail since that cannot be told."""
        self.open.discard(name)
        with suppress(OSError):
            _write(self.folder / f"{name}{ANSWER}", answer)

    def close(self, **answer: object) -> None:
        """Give this answer to all open and future requests."""
        self._due = 0.0
        for _ in self.asked():
            pass
        self.answer_open(**answer)

    def answer_open(self, **answer: object) -> None:
        """Give this answer to all open requests."""
        for name in sorted(self.open):
            self.answer(name, **answer)


def ask(folder: Path, *, seconds: float, **request: object) -> Said:
    """Ask the run in a folder, and wait for its answer. Raises `no-run`, `no-answer`."""
    run = name_of_run(folder)
    if run is None:
        raise FinaleError(
            "no-run",
            "no job is running in this folder" if folder.is_dir() else "there is no such folder",
            place=Place(str(folder)),
            advice="name the --directory of a run that has not ended",
        )
    name, place = uuid.uuid4().hex, folder / CONTROL / run
    try:
        _write(place / f"{name}{ASK}", request)
    except OSError as reason:
        if name_of_run(folder) != run:  # an earlier one's name, which the next is about to replace
            return ask(folder, seconds=seconds, **request)
        raise FinaleError(
            "unwritable",
            f"the request cannot be written: {reason.strerror}",
            place=Place(str(place)),
            advice="check the permissions, and that the run has not ended",
        ) from None
    return _wait(folder, run, name, seconds)


def _wait(folder: Path, run: str, name: str, seconds: float) -> Said:
    asked = folder / CONTROL / run / f"{name}{ASK}"
    answered = asked.with_suffix(ANSWER)
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            lives = name_of_run(folder) == run
            if (
                answered.exists()
            ):  # looked at after the lock: the last answer comes before its release
                answer: Said = json_of(answered.read_text())
                answered.unlink()
                return answer
            if not lives:
                return {"ok": False, "why": "the run ended before it had answered"}
            time.sleep(SECONDS_BETWEEN_LOOKS)
    except KeyboardInterrupt:
        asked.unlink(missing_ok=True)
        raise
    try:
        asked.unlink()
        then = "the request is withdrawn"
    except FileNotFoundError:
        then = "it knows of the request"
    raise FinaleError(
        "no-answer",
        f"the run has not answered for {seconds:g} s; {then}",
        place=Place(str(folder)),
        advice="ask again, with more --max-seconds",
    )


def _read(text: bytes) -> object:
    try:
        return json_of(text)
    except ValueError:
        return None


def _write(file: Path, said: Said) -> None:
    draft = file.with_suffix(".draft")
    draft.write_text(json.dumps(said))
    os.replace(draft, file)  # noqa: PTH105 - one file, one name
