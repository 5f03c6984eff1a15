"""Writes traces as ITF files, and reads them again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from finale.checker.report.places import shown_file
from finale.checker.review.change import read_under
from finale.checker.search.rows import SpecResult
from finale.checker.search.run import chosen
from finale.checker.search.verdict import Verdict, Word
from finale.checker.simulation.judging import Judge
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.files import text_of
from finale.checker.spec.grid import settings_of, values_in
from finale.checker.spec.reading import BUILT_IN, check_property_name
from finale.checker.studies.weaken import weaker
from finale.model.errors import FinaleError, Place
from finale.model.given import json_of
from finale.model.itf import from_itf, to_itf
from finale.model.system import System
from finale.model.trace import replay

from . import VERSION
from .output import to_file_or_stdout


def itf_of(result: SpecResult, verdict: Verdict) -> str:
    """The trace of a verdict as ITF, with what it shows."""
    assert result.system is not None
    return itf_of_run(result.spec, result.system, verdict)


def itf_of_run(spec: Spec, system: System, verdict: Verdict) -> str:
    """The trace of a verdict as ITF, with what it shows; it is run through the semantics first."""
    assert verdict.trace is not None
    replay(system, verdict.trace)
    return to_itf(
        system,
        verdict.trace,
        {
            "source": shown_file(spec.file),
            "description": f"made by finale {VERSION}",
            "protocol": system.protocol,
            "property": verdict.property,
            "verdict": verdict.word,
            "binding": dict(verdict.binding),
            "variant": spec.variant if spec.is_under_variant else None,
            "set": [*settings_of(spec.values)],
            "without": [*spec.left_out],
        },
    )


@dataclass(frozen=True)
class StoredTrace:
    """A trace that was read from a file: its spec, the system, and what it shows."""

    spec: Spec
    system: System
    verdict: Verdict


def stored_trace(file: Path, known: Catalogue) -> StoredTrace:
    """Read a trace that `finale trace --format itf` or `finale simulate` has written.

    Raises `not-itf` for any other file, and for a trace that is no run of its spec any more.
    """
    text = text_of(file, wanted="a trace")
    try:
        meta = json_of(text)["#meta"]
        source, name, word = Path(meta["source"]), str(meta["property"]), Word(meta["verdict"])
        binding = tuple((str(key), str(value)) for key, value in meta["binding"].items())
        variant = None if meta.get("variant") is None else str(meta["variant"])
        settings, left_out = ([str(e) for e in meta.get(key, ())] for key in ("set", "without"))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FinaleError(
            "not-itf",
            "the file is not a trace with the names of its spec and its property",
            place=Place(str(file)),
            advice="give a file that finale trace --format itf has written",
        ) from None
    spec = read_under(_found(source, file), known, variant, values_in(settings))
    for each in left_out:
        spec = weaker(spec, each)
    if name and name not in BUILT_IN:
        check_property_name(name, known)
    system = spec.system(chosen(spec, (name,)) if name else ())
    try:
        trace = from_itf(system, text)
    except FinaleError as error:
        raise error.located(Place(str(file))) from None
    try:
        replay(system, trace)
    except AssertionError as wrong:
        raise FinaleError(
            "not-itf",
            f"this is no run of {spec.file}: {wrong}",
            place=Place(str(file)),
            advice="the spec or its protocol has changed since: write the trace anew",
        ) from None
    verdict = Verdict(name, word, trace, binding, is_shortest=False)
    if name and not Judge(system).shows(verdict):
        raise FinaleError(
            "not-itf",
            f"the run does not show that {name} is {word}",
            place=Place(str(file)),
            advice="the spec, its protocol or a property has changed since: write the trace anew",
        )
    return StoredTrace(spec, system, verdict)


def refuse_own_name(file: Path, output: Path | None) -> None:
    """Raise `output-clash` if what is read from a file would replace the file."""
    if output is not None and output.resolve() == file.resolve():
        raise FinaleError(
            "output-clash",
            "the file of --output is the trace that is read",
            place=Place(str(output)),
            advice="name another file",
        )


def _found(source: Path, file: Path) -> Path:
    """A trace names its spec as it was shown: from where one stood, or in the repository."""
    for base in (Path(), Path(__file__).parent.parent, file.parent):
        if (base / source).is_file():
            return base / source
    return source


def write_traces(result: SpecResult, folder: Path) -> dict[str, str]:
    """Write every trace of a result; the files by property.

    Below the folder the path of the spec is kept, so that specs of one name do not collide.
    """
    spec = Path(shown_file(result.spec.file)).with_suffix("")
    parts = [part for part in spec.parts if part not in (spec.anchor, "..")]
    written: dict[str, str] = {}
    for row in result.rows:
        if row.trace is not None:
            file = folder.joinpath(*parts, f"{row.property}.itf.json")
            to_file_or_stdout(itf_of(result, row), file)
            written[row.property] = str(file)
    return written
