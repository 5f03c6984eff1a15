"""Shows facts about all jobs: proven, or refuted with the smallest graph, drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from finale.checker.proofs.all_jobs.fact import (
    CounterexampleGraph,
    Fact,
    FactProven,
    FactRefuted,
    FactUndecided,
    Outcome,
)
from finale.model.topology import Edge, Job, Vertex

from .job import job_lines
from .layout import columns, counted, duration, joined, paragraph

_TASK = "T"
"""Where nodes are inputs or outputs: the task that has them."""


def group_line(title: str, facts: Sequence[Fact]) -> Text:
    """Show the subject of facts, and the methods they are read from."""
    methods = dict.fromkeys(method for fact in facts for method in fact.of)
    return joined([Text(title, "bold cyan"), Text(", ".join(methods), "dim")])


def compared_line(compared: int) -> Text:
    """Show that the derived facts agree with the methods."""
    return Text(f"  derived from the code, and equal on {counted(compared, 'small case')}", "dim")


def fact_lines(fact: Fact, outcome: Outcome, width: int) -> Iterator[Text]:
    """One fact: its verdict, the claim in a sentence, and what refutes it."""
    yield joined([_marked(fact, outcome), _cost(outcome), Text(", ".join(fact.cites), "dim")])
    yield from paragraph(fact.sentence, width, indent=4)
    if isinstance(outcome, FactRefuted):
        yield from graph_lines(fact, outcome.graph, width)


def is_as_expected(fact: Fact, outcome: Outcome) -> bool:
    """Whether an outcome is what is claimed."""
    return isinstance(outcome, FactProven if fact.holds else FactRefuted)


def verdict_of(outcome: Outcome) -> str:
    """The outcome in a word."""
    match outcome:
        case FactProven():
            return "proven"
        case FactRefuted():
            return "refuted"
        case FactUndecided():
            return "unknown"


def _marked(fact: Fact, outcome: Outcome) -> Text:
    word = verdict_of(outcome)
    if is_as_expected(fact, outcome):
        mark = Text("  ✓ ", "bold green")
    else:
        mark = Text("  ! ", "bold yellow") if word == "unknown" else Text("  ✗ ", "bold red")
    note = "" if fact.holds or word == "unknown" else ", as it should be"
    return mark + Text(f"{fact.name}  ", "bold") + Text(word + note)


def _cost(outcome: Outcome) -> str:
    match outcome:
        case FactProven(queries=queries):
            asked = "1 query" if queries == 1 else f"{queries} queries"
            return f"{asked}, {duration(outcome.seconds)}"
        case FactRefuted():
            return duration(outcome.seconds)
        case FactUndecided(nodes=nodes, why=why):
            few = f"nothing on up to {counted(nodes, 'node')} refutes it"
            return f"{few}; {why}; {duration(outcome.seconds)}"


# --- graphs --------------------------------------------------------------------------------------


def graph_lines(fact: Fact, graph: CounterexampleGraph, width: int) -> Iterator[Text]:
    """The smallest graph that refutes a fact, and where it does."""
    where = f"refuted by {counted(graph.size, fact.node)}, the smallest number, in {graph.case}:"
    yield from paragraph(Text(where, "dim"), width, indent=4)
    names = names_in(graph)
    marks = dict(zip(names, graph.marks, strict=True))

    def says(vertex: Vertex) -> tuple[str, ...]:
        return (vertex.name, *marks.get(vertex.name, ()))

    yield from job_lines(job_of(fact, graph), width, indent=6, says=says)
    notes = [
        [f"{names[one]}→{names[other]}", ", ".join(words)]
        for one, other, words in graph.edges
        if words
    ]
    yield from columns(notes, width, indent=6)
    for one, other in graph.same:
        yield Text(f"      {names[one]} and {names[other]} are of one vertex", "dim")


def names_in(graph: CounterexampleGraph) -> list[str]:
    """Names for the nodes: A1 and A2 for tasks of one vertex, V1 and V2 where nothing is known."""
    if not graph.same:
        return [f"V{number + 1}" for number in range(graph.size)]
    first = [
        min([node, *(one for one, other in graph.same if other == node)])
        for node in range(graph.size)
    ]
    letters = {leader: chr(ord("A") + place) for place, leader in enumerate(sorted(set(first)))}
    return [
        f"{letters[leader]}{first[: node + 1].count(leader)}" for node, leader in enumerate(first)
    ]


def job_of(fact: Fact, graph: CounterexampleGraph) -> Job:
    """The graph as a job: where nodes are inputs, a job of the tasks that they come from, and where
    they are outputs, of those that they lead to."""
    names = names_in(graph)
    edges = [(names[one], names[other]) for one, other, _ in graph.edges]
    if fact.node == "input":
        edges = [(name, _TASK) for name in names]
        names = [*names, _TASK]
    if fact.node == "output":
        edges = [(_TASK, name) for name in names]
        names = [_TASK, *names]
    reading = {target for _, target in edges}
    vertices = (Vertex(n) if n in reading else Vertex.source(n, records=0) for n in names)
    return Job(tuple(vertices), tuple(Edge(*edge) for edge in edges))


def summary_line(proven: int, refuted: int, undecided: int, unexpected: int) -> Text:
    """Show the summary of all facts."""
    parts = [
        counted(proven + refuted + undecided, "fact"),
        f"{proven} proven for all jobs",
        f"{refuted} refuted" if refuted else "",
        f"{undecided} unknown" if undecided else "",
        f"{unexpected} not as expected" if unexpected else "all as expected",
    ]
    return joined(part for part in parts if part)
