"""Shows what a real Flink did with the order of a counterexample, or of a run that is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from rich.text import Text

from finale.checker.logs.verdicts import Conformance
from finale.checker.reproduce.dangerous import Sampled
from finale.checker.reproduce.forcing import JudgedForce, Kept
from finale.checker.reproduce.verdicts import DAMAGES, JudgedRun, Reproduction
from finale.checker.spec.claim import Spec
from finale.checker.studies.foreign_step import ForeignStep
from finale.model.language.assumptions import Assumption

from .layout import counted, joined, paragraph
from .places import shown_file

STYLES = {
    Reproduction.REPRODUCED: "bold red",
    Reproduction.NOT_REPRODUCED: "bold green",
    Reproduction.NOT_SEEN: "bold yellow",
    Reproduction.DAMAGED: "bold red",
    Reproduction.SURVIVED: "bold green",
    Reproduction.NOT_TAKEN: "bold yellow",
}


def heading_lines(spec: Spec, name: str, steps: int, version: str) -> Iterator[Text]:
    """What is tried: the claim, the property, the number of steps, the release."""
    yield Text(spec.title, "bold")
    yield Text("  ") + joined([name, f"an order of {counted(steps, 'step')}", f"Flink {version}"])


def orders_lines(
    spec: Spec, names: Set[str], sample: Sampled, chosen: int, version: str
) -> Iterator[Text]:
    """What is tried on a spec that holds: how many orders, of how many runs, on which release.

    If no state of the job from outside shows a violation of any of the properties `names`, the
    second line says that the log alone is judged.
    """
    yield Text(spec.title, "bold")
    yield Text("  ") + joined(
        [
            f"{counted(chosen, 'order')} of {counted(sample.runs, 'random run')}",
            f"{len(names)} {'property' if len(names) == 1 else 'properties'} that must hold",
            f"Flink {version}",
            "" if names & DAMAGES.keys() else "judged by the log alone",
        ]
    )


def run_lines(number: int, judged: JudgedRun, width: int, called: str = "run") -> Iterator[Text]:
    """One run: the verdict, the damage, and what its log tells.

    The number is that of the run, or of its order; `called` says which.
    """
    run, log = judged.run, judged.log
    yield Text()
    verdict = Text(judged.verdict.value, STYLES[judged.verdict])
    yield Text(f"{called} {number}: ") + verdict + Text(f"  {shown_file(run.folder)}", "dim")
    if run.taken.missed is not None:
        yield from paragraph(str(run.taken.missed), width, indent=2)
        yield from paragraph(_refusal_text(run.taken.missed.refused), width, indent=2)
    if judged.meaning:
        yield from paragraph(judged.meaning, width, indent=2)
    if judged.causes:
        yield from paragraph("one of these causes remains:", width, indent=2)
    for each in judged.causes:
        yield from paragraph(each, width, indent=4)
    for each in judged.damage:
        yield from paragraph(each, width, indent=2)
    yield from paragraph(_log_text(log.conforms, agrees=judged.agrees), width, indent=2)
    for each in (*log.stops, *(log.waits if not log.stops else ())):
        yield from paragraph(each, width, indent=4)


def _refusal_text(refused: str) -> str:
    if refused:
        return f"Flink refused the step: {refused}"
    return "no line of Flink's log refuses the step: the driver could not force it"


def _log_text(conforms: Conformance | None, *, agrees: bool) -> str:
    same = "and shows the same violation" if agrees else "and shows no such violation"
    if conforms is None:
        return "its log tells of no job"
    if conforms.accepted:
        return f"its log is accepted as a run of the protocol, {same}"
    return f"its log is {conforms.word}: {conforms.why}"


def total_line(all_runs: Sequence[JudgedRun]) -> Text:
    """How many runs have which verdict."""
    told = [
        Text(f"{verdict.value} {found} of {len(all_runs)}", STYLES[verdict])
        for verdict in Reproduction
        if (found := sum(each.verdict is verdict for each in all_runs))
    ]
    return joined(told)


def run_json(judged: JudgedRun) -> dict[str, object]:
    """One run as plain data."""
    run, log = judged.run, judged.log
    return {
        "folder": str(run.folder),
        "verdict": judged.verdict.value,
        "missed": None if run.taken.missed is None else str(run.taken.missed),
        "refused": "" if run.taken.missed is None else run.taken.missed.refused,
        "rules": "release" if judged.of_release else "spec",
        "damage": list(judged.damage),
        "causes": list(judged.causes),
        "log": {
            "conforms": None if log.conforms is None else log.conforms.word,
            "why": None if log.conforms is None else log.conforms.why,
            "agrees": judged.agrees,
            "waits": [*log.stops, *log.waits],
        },
    }


KEPT_STYLES = {
    Kept.KEPT: "bold green",
    Kept.NOT_KEPT: "bold red",
    Kept.BY_METHOD: "bold green",
    Kept.NOT_BY_METHOD: "bold red",
    Kept.NOT_TAKEABLE: "bold yellow",
}


def forcing_lines(
    title: str, assumption: Assumption, step: ForeignStep, name: str, steps: int, version: str
) -> Iterator[Text]:
    """What is tried: the claim, the assumption, and the step that it forbids."""
    yield Text(title, "bold")
    about = [
        f"without {assumption.name}",
        name or "no property falls",
        f"an order of {counted(steps, 'step')}",
    ]
    yield Text("  ") + joined([*about, f"Flink {version}"])
    yield Text(f"  {assumption.sentence}")
    yield Text(f"  {step} with the assumption")


def force_lines(force: JudgedForce, width: int) -> Iterator[Text]:
    """One run: the verdict, the reasons, and what the method returned."""
    yield Text()
    folder = Text(shown_file(force.judged.run.folder), "dim")
    verdict = Text(force.verdict.value, KEPT_STYLES[force.verdict])
    yield Text(f"{force.flink}: ") + verdict + Text("  ") + folder
    for each in (*force.why, *force.results):
        yield from paragraph(each, width, indent=2)


def force_json(force: JudgedForce) -> dict[str, object]:
    """One run as plain data."""
    return {
        "engine": force.flink,
        "folder": str(force.judged.run.folder),
        "verdict": force.verdict.value,
        "why": list(force.why),
        "results": list(force.results),
    }
