"""`finale simulate`: random runs of a spec, or one run that the user chooses step by step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from finale.checker.report.layout import console, counted, write
from finale.checker.report.simulation import repeat_command, sample_json, sample_lines, unexpected
from finale.checker.report.story import Story, story_json, story_of
from finale.checker.report.trace import trace_lines
from finale.checker.review.change import read_under
from finale.checker.search.limits import Limits, TimeOver, looking
from finale.checker.search.rows import Exit
from finale.checker.search.run import chosen
from finale.checker.search.verdict import Verdict
from finale.checker.simulation.sampling import Sample, sampled
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec, runs_before
from finale.checker.spec.grid import values_in
from finale.checker.spec.reading import check_property_name
from finale.model.errors import FinaleError
from finale.model.system import System

from .meter import Bar
from .output import document, format_of, say, say_json, to_file_or_stdout
from .parameters import (
    LIMITS,
    OUTPUT,
    PLAIN,
    PropertyNames,
    ProtocolsFolder,
    SetValues,
    SpecFile,
    TextOrJson,
    VariantName,
    refuse_limits,
)
from .traces import itf_of_run

RUNS, STEPS, SEED = 100, 1000, 1


def simulate(  # noqa: PLR0913 - one parameter a flag
    spec: SpecFile,
    /,
    *,
    runs: Annotated[
        int | None, Parameter(group=LIMITS, help=f"Number of random runs (default: {RUNS}).")
    ] = None,
    steps: Annotated[
        int | None,
        Parameter(
            group=LIMITS, help=f"Maximal number of steps of a random run (default: {STEPS})."
        ),
    ] = None,
    seed: Annotated[
        int, Parameter(help="Seed of the first run; each next run has the next number.")
    ] = SEED,
    interactive: Annotated[
        bool, PLAIN, Parameter(help="Choose each step yourself, in the terminal.")
    ] = False,
    properties: PropertyNames = (),
    max_seconds: Annotated[
        float | None,
        Parameter(
            group=LIMITS, help="Time limit in seconds of all random runs (default: no limit)."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        Parameter(
            group=OUTPUT,
            name=("--output", "-o"),
            help="File to write a run into, as ITF: the violating run that is printed, or the run "
            "that you chose.",
        ),
    ] = None,
    format: TextOrJson = "text",
    variant: VariantName = None,
    set: SetValues = (),
    protocols: ProtocolsFolder = None,
) -> int:
    """Take random runs, or choose each step yourself."""
    of_random_runs = {"--runs": runs, "--steps": steps, "--max-seconds": max_seconds}
    refuse_limits(of_random_runs)
    format_of(output, None, ("itf",))
    if interactive and (any(of_random_runs.values()) or format == "json"):
        raise FinaleError(
            "usage",
            "--runs, --steps, --max-seconds and --format json are for random runs",
            advice="leave them out, or leave out --interactive",
        )
    known = catalogue(protocols)
    for name in properties:
        check_property_name(name, known)
    claim = read_under(spec, known, variant, values_in(set))
    system = claim.system(chosen(claim, properties))
    if interactive:
        from .by_hand import ByHand

        return ByHand(claim, system, seed, output).run()
    limits = Limits(seconds_max=max_seconds)
    return Simulation(claim, system, properties, seed, runs or RUNS, steps or STEPS, limits).run(
        output, as_text=format == "text"
    )


@dataclass(frozen=True)
class Simulation:
    """Random runs of one spec."""

    spec: Spec
    system: System
    names: tuple[str, ...]
    seed: int
    runs: int
    steps_max: int
    limits: Limits

    def run(self, output: Path | None, *, as_text: bool) -> int:
        """Take the runs, tell what happened, and return the exit code."""
        sample, interrupted, stopped = Sample(self.system), False, ""
        look = looking(self.limits, None, "")
        try:
            with Bar() as bar:
                for each in sampled(self.system, self.seed, self.runs, self.steps_max, look):
                    sample.add(each)
                    done = len(sample.lengths)
                    violated = counted(len(sample.violated), "violated property")
                    bar(done / self.runs, [counted(done, "run"), violated])
        except KeyboardInterrupt:
            interrupted = True
        except TimeOver:
            stopped = self.limits.seconds_word
        told = self._told(sample)
        if as_text:
            self._write(sample, told, stopped)
        else:
            about = sample_json(sample, self.spec, self.seed, self.steps_max)
            run = None if told is None else story_json(self._story(told[1]))
            again = None if told is None else self._repeat(told[0])
            say_json(
                document("simulate") | about | {"stopped": stopped, "run": run, "reproduce": again}
            )
        if output is not None:
            self._save(told, output)
        if interrupted:
            raise KeyboardInterrupt
        if unexpected(sample, self.spec):
            return Exit.FAILED
        return Exit.LIMIT if stopped else Exit.AS_EXPECTED

    def _told(self, sample: Sample) -> tuple[int, Verdict] | None:
        """The run that is printed: of an unexpected violation if there is one, a shortest one."""
        names = unexpected(sample, self.spec) or list(sample.violated)
        found = [sample.shortest[name] for name in names]
        return min(found, key=lambda each: (each[1].steps or 0, each[0]), default=None)

    def _write(self, sample: Sample, told: tuple[int, Verdict] | None, stopped: str) -> None:
        page = console()
        write(page, sample_lines(sample, self.spec, self.seed, self.steps_max, page.width))
        if stopped:
            done = f"stopped after {counted(len(sample.lengths), 'run')}: {stopped}"
            write(page, [Text(done, "bold yellow")])
        if told is not None:
            story = self._story(told[1])
            again = self._repeat(told[0])
            head = f"a run that violates {told[1].property}: the one with seed {told[0]}"
            lines = trace_lines(story, self.spec, page.width, again)
            write(page, ["", head, "", *lines])

    def _story(self, verdict: Verdict) -> Story:
        assert verdict.trace is not None
        return story_of(self.system, verdict, tuple(runs_before(self.spec, verdict.trace)))

    def _repeat(self, seed: int) -> str:
        return repeat_command(self.spec, seed, self.steps_max, self.names)

    def _save(self, told: tuple[int, Verdict] | None, output: Path) -> None:
        if told is None:
            say("no run violates a property: no file is written", stderr=True)
            return
        to_file_or_stdout(itf_of_run(self.spec, self.system, told[1]), output)
        say(f"written to {output}", stderr=True)
