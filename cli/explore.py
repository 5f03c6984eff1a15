"""`finale explore`: serves a page on this machine on which one walks the states of a spec."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from finale.checker.cache.store import users_store
from finale.checker.review.change import read_under
from finale.checker.search.verdict import Verdict, Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.files import text_of
from finale.checker.spec.grid import values_in
from finale.model.errors import FinaleError, Place
from finale.model.itf import from_itf
from finale.model.system import System
from finale.model.trace import Trace

from .output import say
from .parameters import PLAIN, ProtocolsFolder, SetValues, SpecFile, VariantName
from .traces import itf_of_run


def explore(
    spec: SpecFile,
    /,
    *,
    trace: Annotated[
        Path | None,
        Parameter(help="Trace to begin with, as finale trace --format itf writes it."),
    ] = None,
    port: Annotated[int, Parameter(help="Port to listen on (default: any free port).")] = 0,
    open: Annotated[bool, PLAIN, Parameter(help="Also open the page in a browser.")] = False,
    variant: VariantName = None,
    set: SetValues = (),
    protocols: ProtocolsFolder = None,
) -> int:
    """Walk the states of a spec in a browser, on this machine. Ctrl-C ends it."""
    from finale.checker.page.explorer.server import Explorer, serving
    from finale.checker.page.explorer.walk import walk_of

    claim = read_under(spec, catalogue(protocols, users_store()), variant, values_in(set))
    system = claim.system()
    start, rules = (0, []) if trace is None else _path(system, trace)
    begin = walk_of(system, start, rules)

    def written(run: Trace) -> str:
        return itf_of_run(claim, system, Verdict("", Word.RUN, run))

    with serving(Explorer(claim, system, begin, written), port) as server:
        say(f"{server.url}\nCtrl-C ends it.")
        if open:
            import webbrowser

            webbrowser.open(server.url)
        server.serve_forever()
    return 0


def _path(system: System, file: Path) -> tuple[int, list[object]]:
    """The run of a trace in a file: its initial state and its rules. Raises `not-itf`."""
    text = text_of(file, wanted="a trace")
    try:
        trace = from_itf(system, text)
    except FinaleError as error:
        raise error.located(Place(str(file))) from None
    start = trace.states[0]
    return system.initial.index(start) if start in system.initial else -1, list(trace.rules)


__all__ = ["explore"]
