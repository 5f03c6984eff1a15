"""`finale simulate --interactive`: the user chooses each step of a run in the terminal.

The conversation is plain lines: no line is written over, so that it works in any terminal, through
a pipe and in a file. A choice that comes from a pipe is printed too, as a terminal would show it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from rich.text import Text

from finale.checker.report.job import job_lines
from finale.checker.report.layout import Cell, columns, console, paragraph, write
from finale.checker.report.simulation import choice_lines, end_line, finding_lines, violation_lines
from finale.checker.report.story import groups_of, story_of
from finale.checker.report.trace import last_step_lines, state_lines, trace_lines
from finale.checker.search.rows import Exit
from finale.checker.search.verdict import Verdict, Word
from finale.checker.simulation.judging import Findings, Judge
from finale.checker.simulation.runs import Run
from finale.checker.simulation.sampling import one_of
from finale.checker.spec.claim import Spec, runs_before
from finale.model.errors import FinaleError
from finale.model.semantics import Step
from finale.model.system import System

from .errors import print_error
from .output import to_file_or_stdout
from .traces import itf_of_run

PROMPT = "> "
HELP = (
    ("NUMBER", "take the step with this number"),
    ("r", "take a random step"),
    ("b", "go back one step"),
    ("s", "show the state"),
    ("p", "show which properties the run so far violates, tests and reaches"),
    ("t", "show the run so far, step by step"),
    ("w FILE", "write the run so far into a file, as ITF: finale trace FILE prints it again"),
    ("q", "quit; with --output, the run is written there first"),
)


class ByHand:
    """One conversation: it shows the steps that are enabled, and takes the one that is chosen."""

    def __init__(self, spec: Spec, system: System, seed: int, output: Path | None) -> None:
        self.spec, self.system, self.output = spec, system, output
        self._run = Run(system, system.initial[0])
        self._judge = Judge(system)
        self._chance = Random(seed)
        self._page = console()
        self._enabled: Sequence[Step] = ()

    def run(self) -> int:
        """Talk until the user quits or the input ends; return the exit code."""
        self._write(paragraph(Text(self.spec.title, "bold"), self._page.width))
        if self.spec.setting.job is not None:
            self._write(["", *job_lines(self.spec.setting.job, self._page.width, indent=2), ""])
        if not self._choose_start():
            return Exit.AS_EXPECTED
        self._show_help()
        self._show_choices()
        while (line := self._ask()) is not None and line.lower() not in ("q", "quit"):
            try:
                self._do(line)
            except FinaleError as error:
                print_error(error)
        if self.output is not None:
            self._save(str(self.output))
        return Exit.AS_EXPECTED

    def _write(self, lines: Sequence[Cell]) -> None:
        write(self._page, lines)

    def _ask(self) -> str | None:
        """The next line of the user, or nothing at the end of the input."""
        sys.stdout.write(PROMPT)
        sys.stdout.flush()
        line = sys.stdin.readline()
        is_echoed = sys.stdin.isatty()
        if not is_echoed or not line:
            self._write([line.strip()])
        return line.strip() if line else None

    def _do(self, line: str) -> None:
        command, _, rest = line.partition(" ")
        actions: dict[str, Callable[[], None]] = {
            "r": self._take_random,
            "b": self._go_back,
            "s": self._show_state,
            "p": self._show_properties,
            "t": self._show_run,
            "h": self._show_help,
            "?": self._show_help,
            "": self._show_choices,
        }
        steps = {str(number): step for number, step in enumerate(self._enabled, 1)}
        if line in steps:
            self._take(steps[line])
        elif command == "w" and rest:
            self._save(rest.strip())
        elif not rest and command in actions:
            actions[command]()
        else:
            what = f'"{line}" is none of the choices: give a number from 1 to {len(self._enabled)}'
            what = what if self._enabled else f'"{line}" is none of the choices'
            self._write(paragraph(Text(f"{what}, or h for help", "yellow"), self._page.width))

    # --- the run ---------------------------------------------------------------------------------

    def _choose_start(self) -> bool:
        """Let the user choose, if there are several initial states; False at the end of input."""
        count = len(self.system.initial)
        while count > 1:
            self._write([f"the system has {count} initial states: choose one, from 1 to {count}"])
            line = self._ask()
            if line is None or line.lower() in ("q", "quit"):
                return False
            states = {str(number): s for number, s in enumerate(self.system.initial, 1)}
            if line in states:
                self._run = Run(self.system, states[line])
                break
        self._show_state()
        return True

    def _take(self, step: Step) -> None:
        before = self._findings()
        self._run.take(step)
        trace = self._run.trace
        story = story_of(self.system, Verdict("", Word.RUN, trace))
        self._write(["", *last_step_lines(story, self._page.width)])
        self._show_choices(before)

    def _take_random(self) -> None:
        if self._enabled:
            self._take(one_of(self._enabled, self._chance))
        else:
            self._show_choices()

    def _go_back(self) -> None:
        if not self._run.rules:
            self._write([Text("this is the initial state", "yellow")])
            return
        self._run.take_back()
        self._show_choices()

    def _findings(self) -> Findings:
        return self._judge.of(self._run.trace, self._run.end(self._run.enabled))

    # --- what is shown ---------------------------------------------------------------------------

    def _show_choices(self, before: Findings | None = None) -> None:
        self._enabled = self._run.enabled
        if before is not None:
            new = [n for n in self._findings().violated if n not in before.violated]
            for name in new:
                lines = violation_lines(name, self.system.properties, self._page.width)
                self._write(lines)
        end = self._run.end(self._enabled)
        if end is not None:
            self._write([end_line(end)])
        taken = len(self._run.rules)
        self._write(
            ["", Text(f"step {taken + 1}" if self._enabled else f"after step {taken}", "bold")]
        )
        self._write(choice_lines(self._enabled, self._page.width))

    def _show_state(self) -> None:
        self._write(state_lines(groups_of(self.system, self._run.states[-1]), self._page.width))

    def _show_properties(self) -> None:
        self._write(finding_lines(self._findings(), self.system.properties, self._page.width))

    def _show_run(self) -> None:
        verdict = self._verdict()
        assert verdict.trace is not None
        runs = tuple(runs_before(self.spec, verdict.trace))
        story = story_of(self.system, verdict, runs)
        self._write(trace_lines(story, self.spec, self._page.width))

    def _show_help(self) -> None:
        rows = [[Text(word, "bold"), Text(meaning, "dim")] for word, meaning in HELP]
        self._write(["", *columns(rows, self._page.width, indent=2)])

    def _verdict(self) -> Verdict:
        """The run so far, as what it shows: a violation that its last step makes, or a run."""
        trace = self._run.trace
        for verdict in self._findings().violated.values():
            if verdict.steps == len(trace.rules):
                return verdict
        return Verdict("", Word.RUN, trace, is_shortest=False)

    def _save(self, name: str) -> None:
        to_file_or_stdout(itf_of_run(self.spec, self.system, self._verdict()), Path(name))
        self._write([f"written to {name}"])
