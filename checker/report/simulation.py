"""Shows what happened on random runs, and what somebody can do next in a run by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Word
from finale.checker.simulation.judging import Findings
from finale.checker.simulation.runs import End
from finale.checker.simulation.sampling import Sample
from finale.checker.spec.claim import Spec
from finale.model.semantics import Step
from finale.model.system import Property

from .layout import Cell, columns, counted, flow, grouped, joined, paragraph
from .places import command, shown_file, told_setting
from .story import BUILT_IN_SENTENCES
from .trace import INDENT, binding_text

SAMPLED = (
    "Random runs are a sample: they show that a property can fall, and never that it holds. "
    "finale check covers every run."
)


def repeat_command(spec: Spec, seed: int, steps_max: int, names: Sequence[str]) -> str:
    """Return the command line that takes the random run of a seed again."""
    flags = ["--seed", str(seed), "--runs", "1", "--steps", str(steps_max)]
    flags += [word for name in names for word in ("--property", name)]
    return command("simulate", spec, *flags)


# --- random runs ---------------------------------------------------------------------------------


def sample_lines(sample: Sample, spec: Spec, seed: int, steps_max: int, width: int) -> list[Text]:
    """What happened: how the runs ended, which rules they took, what was true on them."""
    lines = [
        *paragraph(Text(spec.title, "bold"), width),
        *flow([Text(each, "dim") for each in (shown_file(spec.file), *told_setting(spec))], width),
        Text(),
    ]
    lines += paragraph(_head(sample, seed, steps_max), width)
    if not sample.lengths:
        return lines
    lines += [Text(), Text("ends", "bold cyan")]
    rows: list[list[Cell]] = [[_right(n), end.value] for end, n in sample.ends.most_common()]
    lines += columns(rows, width, indent=2)
    lines += [Text(), Text("rules taken", "bold cyan"), *_rules(sample, width)]
    lines += [Text(), Text("properties", "bold cyan"), *_properties(sample, spec, width)]
    return [*lines, Text(), *paragraph(Text(SAMPLED, "dim"), width)]


def _head(sample: Sample, seed: int, steps_max: int) -> Text:
    count = len(sample.lengths)
    parts = [f"{counted(count, 'random run')} of at most {counted(steps_max, 'step')}"]
    if count:
        last = seed + count - 1
        parts.append(f"seed {seed}" if count == 1 else f"seeds {seed} to {last}")
        shortest, longest = min(sample.lengths), max(sample.lengths)
        between = f"{shortest} to {longest} steps, median {sample.median_length:g}"
        parts.append(counted(longest, "step") if count == 1 else between)
    return joined([*parts, "each enabled step is equally likely"])


def _right(number: int) -> Text:
    return Text(f"{grouped(number):>7}")


def _rules(sample: Sample, width: int) -> Iterator[Text]:
    rows: list[list[Cell]] = [
        [
            _right(times),
            Text(name, "bold"),
            Text(f"on {counted(sample.on_runs[name], 'run')}", "dim"),
        ]
        for name, times in sorted(sample.taken.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    yield from columns(rows, width, indent=2)
    if sample.never_taken:
        never = f"never taken: {', '.join(sample.never_taken)}"
        yield from paragraph(Text(never, "dim"), width, indent=2)


def _properties(sample: Sample, spec: Spec, width: int) -> Iterator[Text]:
    rows: list[list[Cell]] = []
    for name, times in sample.violated.items():
        _, verdict = sample.shortest[name]
        expected = _is_expected(spec, name)
        where = [f"on {counted(times, 'run')}", f"after {counted(verdict.steps or 0, 'step')}"]
        remark = joined([*where, "as expected" if expected else ""])
        mark = Text("✓ ", "bold green") if expected else Text("✗ ", "bold red")
        rows.append([mark + Text(name, "bold"), Text("violated", "red"), remark])
    rows += [
        [Text("✓ ", "bold green") + Text(name, "bold"), "reached", f"on {counted(times, 'run')}"]
        for name, times in sample.reached.items()
    ]
    yield from columns(rows, width, indent=2)
    calm = [each.name for each in sample.system.properties if _is_calm(each, sample)]
    calm += [each for each in (WELL_FORMED, NO_DEADLOCK) if each not in sample.violated]
    tested = [name for name in calm if sample.tested[name] or name in BUILT_IN_SENTENCES]
    for head, names in (
        ("tested, and not violated", tested),
        ("never tested", [name for name in calm if name not in tested]),
        ("never reached", _unreached(sample)),
    ):
        if names:
            yield from paragraph(Text(f"{head}: {', '.join(names)}", "dim"), width, indent=2)


def _is_calm(prop: Property, sample: Sample) -> bool:
    return not prop.kind.is_reachability and prop.name not in sample.violated


def _unreached(sample: Sample) -> list[str]:
    witnesses = (each.name for each in sample.system.properties if each.kind.is_reachability)
    return [name for name in witnesses if name not in sample.reached]


def _is_expected(spec: Spec, name: str) -> bool:
    expected = spec.expectations.get(name)
    return expected is not None and expected.verdict == Word.VIOLATED


def unexpected(sample: Sample, spec: Spec) -> list[str]:
    """Return the violated properties that the spec does not expect to be violated."""
    return [name for name in sample.violated if not _is_expected(spec, name)]


def sample_json(sample: Sample, spec: Spec, seed: int, steps_max: int) -> dict[str, object]:
    """What happened on random runs, as plain data."""
    return {
        "spec": shown_file(spec.file),
        "seed": seed,
        "runs": len(sample.lengths),
        "steps_max": steps_max,
        "steps": sum(sample.lengths),
        "ends": {end.name.lower(): times for end, times in sample.ends.items()},
        "rules": {
            name: {"taken": times, "runs": sample.on_runs[name]}
            for name, times in sorted(sample.taken.items())
        },
        "never_taken": sample.never_taken,
        "violated": {
            name: {
                "runs": times,
                "seed": sample.shortest[name][0],
                "steps": sample.shortest[name][1].steps,
                "expected": _is_expected(spec, name),
            }
            for name, times in sample.violated.items()
        },
        "reached": dict(sample.reached),
        "tested": dict(sample.tested),
    }


# --- a run by hand -------------------------------------------------------------------------------


def choice_lines(enabled: Sequence[Step], width: int) -> list[Text]:
    """The steps that can be taken, each with its number; the sentences below if space is short."""
    titles: list[Text] = []
    for number, step in enumerate(enabled, 1):
        title = Text(f"{number:>{INDENT - 2}}  ", "bold cyan").append(step.rule.rule.name, "bold")
        if step.rule.binding:
            title.append("  ").append_text(binding_text(step.rule.binding))
        titles.append(title)
    sentences = [Text(step.rule.rule.sentence, "dim") for step in enabled]
    beside = max((each.cell_len for each in titles), default=0) + 2
    if all(beside + each.cell_len <= width for each in sentences):
        return columns(list(zip(titles, sentences, strict=True)), width)
    return [
        line
        for title, sentence in zip(titles, sentences, strict=True)
        for line in (title, *paragraph(sentence, width, indent=INDENT))
    ]


def end_line(end: End) -> Text:
    """Say why no step can be taken that changes anything."""
    return Text("      ") + Text(f"the run ends here: {end.value}", "bold yellow")


def finding_lines(findings: Findings, properties: Sequence[Property], width: int) -> list[Text]:
    """What is true on the run so far."""
    rows: list[list[Cell]] = []
    for name, verdict in findings.violated.items():
        after = f"after {counted(verdict.steps or 0, 'step')}"
        rows.append([Text("✗ ", "bold red") + Text(name, "bold"), Text("violated", "red"), after])
    for name, position in findings.reached.items():
        after = f"after {counted(position, 'step')}"
        rows.append([Text("✓ ", "bold green") + Text(name, "bold"), "reached", after])
    lines = columns(rows, width, indent=2)
    calm = [each.name for each in properties if each.name not in findings.violated]
    tested = [name for name in calm if name in findings.tested]
    rest = [name for name in calm if name not in tested and name not in findings.reached]
    for head, names in (("tested, and not violated", tested), ("not tested, not reached", rest)):
        if names:
            lines += paragraph(Text(f"{head}: {', '.join(names)}", "dim"), width, indent=2)
    return lines


def violation_lines(name: str, properties: Sequence[Property], width: int) -> list[Text]:
    """Say that the last step violates a property."""
    sentences = {each.name: each.sentence for each in properties} | BUILT_IN_SENTENCES
    head = Text("✗ ", "bold red").append(f"{name} is violated: ", "bold red")
    return paragraph(head.append(sentences[name], "default"), width, indent=6)
