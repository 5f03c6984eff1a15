"""Describes a spec: its job, protocol, options, bounds, rules, properties, size and variant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields

from rich.text import Text

from finale.checker.report.job import job_lines
from finale.checker.report.layout import columns, counted, joined, paragraph, times
from finale.checker.report.places import shown_file
from finale.checker.report.story import BUILT_IN_SENTENCES
from finale.checker.review.code import ChangedCode, changed_code
from finale.checker.review.lines import Coverage, MemberCoverage
from finale.checker.spec.claim import Spec
from finale.checker.spec.meanings import meanings, summary
from finale.checker.spec.overriding import Member, class_name
from finale.checker.spec.typed import option_word
from finale.model.language.properties import Family
from finale.model.system import Fairness, Rule, System


def about_lines(spec: Spec, system: System, width: int) -> list[Text]:
    """Everything, in the order in which a reviewer asks."""
    lines = [*paragraph(Text(spec.title, "bold"), width), Text(shown_file(spec.file), "dim")]
    if spec.cites:
        lines += paragraph(Text(f"cites {'; '.join(spec.cites)}", "dim"), width)
    if spec.fixed_in:
        lines += paragraph(Text(f"fixed in {', '.join(spec.fixed_in)}", "dim"), width)
    lines += [*_heading("protocol"), *_protocol(spec, width)]
    if spec.setting.job is not None:
        lines += [*_heading("job"), *job_lines(spec.setting.job, width, indent=2)]
    lines += _entities(system, width)
    for name, found in settings(spec).items():
        lines += [*_heading(name), *_setting_lines(found, width)]
    lines += _history(spec, width)
    lines += [*_heading("rules"), *rule_lines(_rules(system), width, _ground(system))]
    lines += [*_heading("properties"), *property_lines(spec.families, width, built_in=True)]
    size = f"{counted(len(system.variables), 'variable')}, {counted(system.bits, 'bit')} a state"
    lines += [*_heading("state"), Text(f"  {size}")]
    return lines


def _heading(name: str) -> list[Text]:
    return [Text(), Text(name, "bold cyan")]


def _protocol(spec: Spec, width: int) -> Iterator[Text]:
    base = spec.protocol
    if spec.variant is not None:
        base = next(each for each in spec.protocol.__mro__[1:] if getattr(each, "key", ""))
    yield from columns([[Text(spec.protocol.key, "bold"), Text(summary(base))]], width, indent=2)
    if spec.variant is not None:
        rows = [[Text(spec.variant, "bold red"), Text(summary(spec.protocol))]]
        yield Text("  in the variant")
        yield from columns(rows, width, indent=2)
        yield from defined_lines(changed_code(spec.protocol, base), width, indent=4)
        falls: str | None = getattr(spec.protocol, "must_fall", None)
        if falls:
            yield Text(f"  the property that must fall: {falls}")


def _entities(system: System, width: int) -> list[Text]:
    names: dict[str, dict[str, None]] = {}
    for variable in system.variables:
        if variable.entity.name:
            kind = type(variable.entity).__name__
            names.setdefault(kind, {})[variable.entity.name] = None
    rows = [[Text(kind), Text(", ".join(each))] for kind, each in names.items()]
    return [*_heading("entities"), *columns(rows, width, indent=2)] if rows else []


@dataclass(frozen=True)
class Setting:
    """One option, size or bound of a spec. `default` is empty if the value is the default."""

    name: str
    value: str
    meaning: str
    default: str
    is_changed: bool


def settings(spec: Spec) -> dict[str, list[Setting]]:
    """Return what a spec sets of its protocol: options, sizes and bounds, each in its order."""
    declared = spec.protocol
    kinds = {
        "options": [*_settings(declared.Options, spec.setting.options)],
        "sizes": [*_settings(declared.Sizes, spec.setting.sizes)],
        "bounds": [
            each
            for each in _settings(declared.Bounds, spec.setting.bounds)
            if each.name in declared.bound_names()
        ],
    }
    return {kind: found for kind, found in kinds.items() if fields(getattr(declared, kind.title()))}


def _settings(kind: type, given: Mapping[str, object]) -> Iterator[Setting]:
    told = meanings(kind)
    for declared in fields(kind):
        default = declared.default
        value = given.get(declared.name, default)
        changed = value != default
        standard = "" if default is MISSING or not changed else f"default {option_word(default)}"
        meaning = told.get(declared.name, "")
        yield Setting(declared.name, option_word(value), meaning, standard, changed)


def _setting_lines(found: Sequence[Setting], width: int) -> list[Text]:
    rows = [
        [
            Text(each.name),
            Text(each.value, "bold yellow" if each.is_changed else ""),
            joined([Text(each.meaning), Text(each.default, "dim")]),
        ]
        for each in found
    ]
    return columns(rows, width, indent=2)


def _history(spec: Spec, width: int) -> list[Text]:
    if not spec.protocol.ghosts:
        return []
    kept = [Text(g, "bold yellow") for g in spec.protocol.ghosts if g in spec.setting.observe]
    left = [Text(g, "dim") for g in spec.protocol.ghosts if g not in spec.setting.observe]
    note = joined(kept, ", ") if kept else Text("none")
    if left:
        note.append(" · not: ", "dim").append_text(joined(left, ", "))
    return [*_heading("history kept"), *paragraph(note, width, indent=2)]


def _rules(system: System) -> list[Rule]:
    return list(dict.fromkeys(ground.rule for ground in system.rules))


def _ground(system: System) -> dict[str, int]:
    counts: dict[str, int] = {}
    for ground in system.rules:
        counts[ground.rule.name] = counts.get(ground.rule.name, 0) + 1
    return counts


def rule_lines(rules: Sequence[Rule], width: int, ground: Mapping[str, int]) -> list[Text]:
    """Rules with their sentences; how often each is bound, and what fairness promises it."""
    rows: list[list[Text]] = []
    for rule in rules:
        fair = "" if rule.fairness is Fairness.NONE else f"{rule.fairness.value}ly fair"
        remark = Text(fair, "dim")
        sentence = joined([Text(rule.sentence), remark])
        count = ground.get(rule.name)
        bound = [Text(times(count), "dim")] if count is not None else []
        rows.append([Text(rule.name, "bold"), *bound, sentence])
    return columns(rows, width, indent=2)


def property_lines(families: Sequence[Family], width: int, *, built_in: bool = False) -> list[Text]:
    """Properties with their kinds and sentences; also those that every spec is asked about."""
    rows = [
        [
            Text(family.name, "bold"),
            Text(family.kind.value, "dim"),
            joined(
                [
                    Text(family.sentence),
                    Text(f"needs [observe] {family.needs}" if family.needs else "", "dim"),
                    Text("on request" if family.on_request else "", "dim"),
                ]
            ),
        ]
        for family in families
    ]
    rows += [
        [Text(name, "bold"), Text("always", "dim"), Text(sentence)]
        for name, sentence in BUILT_IN_SENTENCES.items()
        if built_in
    ]
    return columns(rows, width, indent=2)


def defined_lines(
    code: ChangedCode, width: int, *, indent: int = 2, coverage: Coverage | None = None
) -> list[Text]:
    """All members by file; with a coverage, how many of their lines some run reached."""
    roles = {each.member: each.role for each in code.methods}
    reached = {each.of.member: each for each in coverage.methods} if coverage else {}
    lines: list[Text] = []
    for file in dict.fromkeys(each.place.file or "" for each in code.members):
        lines.append(Text(" " * indent + shown_file(file), "dim"))
        rows: list[list[Text]] = []
        for member in code.members:
            if member.place.file != file:
                continue
            told = joined([overrides_words(member), f"line {member.place.line}"])
            if member in reached and reached[member].lines:
                own = reached[member]
                told = joined([told, Text(reached_words(own), "yellow" if own.left else "green")])
            role = Text(roles.get(member, "value"), "dim")
            rows.append([role, Text(str(member), "bold"), told])
        lines += columns(rows, width, indent=indent + 2)
    return lines


def overrides_words(member: Member) -> str:
    """What a member takes the place of: the class that its own derives from, and the class that
    has the inherited value, if that is another one."""
    if member.inherited is None:
        return "new"
    owner = member.inherited[0]
    base = next((each for each in member.kind.__bases__ if issubclass(each, owner)), owner)
    defined = "" if base is owner else f", defined in {class_name(owner)}"
    return f"overrides {class_name(base)}{defined}"


def reached_words(coverage: MemberCoverage) -> str:
    """How many lines of a method some run has reached, and of how many that is unknown."""
    if not coverage.left:
        return "all lines reached"
    count = len(coverage.lines)
    unknown = f", {len(coverage.unknown)} unknown" if coverage.unknown else ""
    return f"{count - len(coverage.left)} of {counted(count, 'line')} reached{unknown}"
