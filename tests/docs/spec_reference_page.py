"""The page of the words of specs (`docs/spec-reference.md`), from the code that reads specs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby

from finale.checker.review.cases import OWN_SPECS
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.files import toml_in
from finale.checker.spec.reference import SpecWord, spec_words
from finale.checker.spec.typed import is_list, is_table
from finale.checker.spec.writing import toml_value

HEAD = """# Words of specs

All keys of a spec, and the words that they can have. This page is made from the code that reads
specs. `finale explain WORD` says the same in a terminal, and `finale schema` tells an editor. How a
spec is written: [specs](specs.md). The defaults of options in each release of Flink:
[defaults](defaults.md).

An example is from the smallest spec that has the word.
"""


def spec_reference_page() -> str:
    """Return the page as Markdown."""
    lines = [HEAD]
    for table, words in groupby(spec_words(catalogue()), lambda each: each.table):
        lines += [f"## {table}", "", *_table(list(words)), ""]
    return "\n".join(lines)


def _table(words: list[SpecWord]) -> Iterator[str]:
    head = ["Name", "Meaning"]
    head += ["Values"] if any(each.values for each in words) else []
    head += ["Protocols"] if any(each.protocols for each in words) else []
    head += ["Example"]
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for each in words:
        cells = {
            "Name": f"`{each.name}`",
            "Meaning": each.meaning,
            "Values": ", ".join(f"`{value}`" for value in each.values),
            "Protocols": _protocols(each.protocols),
            "Example": _example(each),
        }
        yield f"| {' | '.join(cells[name] for name in head)} |"


def _protocols(names: tuple[str, ...]) -> str:
    """The protocols: those of jobs in a few words, if they are all there."""
    jobs = [key for key in catalogue().protocols if catalogue().protocol(key).needs_job]
    if set(jobs) <= set(names):
        others = [each for each in names if each not in jobs]
        return ", ".join(["all with a job", *others])
    return ", ".join(names)


def _example(word: SpecWord) -> str:
    known = ((word.table, word.name, key) for key in word.protocols or ("",))
    said, file = next((_examples()[each] for each in known if each in _examples()), ("", ""))
    return f"`{said}` in [{file}](../specs/{file}.toml)" if said else ""


@cache
def _examples() -> Mapping[tuple[str, str, str], tuple[str, str]]:
    """What the smallest spec says of each word, and that spec: by table, word and protocol."""
    found: dict[tuple[str, str, str], tuple[str, str]] = {}
    specs = [(toml_in(file)[0], file) for file in sorted(OWN_SPECS.rglob("*.toml"))]
    specs.sort(key=lambda each: _states(each[0]))
    for table, file in specs:
        if "protocol" not in table:
            continue
        name = str(file.relative_to(OWN_SPECS).with_suffix(""))
        protocol = str(table["protocol"])
        for heading, word, said in _said_in(table):
            for key in ("", protocol):
                found.setdefault((heading, word, key), (said, name))
    return found


def _states(table: Mapping[str, object]) -> int:
    search = table.get("search")
    states = search.get("states") if is_table(search) else None
    return states if isinstance(states, int) else 1 << 40


#: The tables of a spec whose keys are words of the page, and the headings.
HEADINGS = {"options": "Options", "bounds": "Bounds", "sizes": "Sizes", "observe": "History"}


def _said_in(table: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    for key, value in table.items():
        if is_table(value):
            yield "Keys", key, f"[{key}]"
        elif key == "expect":
            yield "Keys", key, "[[expect]]"
        else:
            yield "Keys", key, f"{key} = {toml_value(value)}"
        if is_table(value) and key in HEADINGS:
            for word, given in value.items():
                yield HEADINGS[key], word, f"{word} = {toml_value(given)}"
    job = table.get("job")
    if is_table(job):
        yield from _said_in_job(job)


def _said_in_job(job: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    if "shape" in job:
        yield "Shapes", str(job["shape"]), f"shape = {toml_value(job['shape'])}"
    inner = [each for each in job.values() if is_table(each)]
    inputs = [each.get("from") for each in inner]
    inner += [one for each in inputs if is_list(each) for one in each if is_table(one)]
    for values in (job, *inner):
        for key, value in values.items():
            if is_table(value):
                continue
            said = f"{key} = {toml_value(value)}"
            yield "Keys of a job", key, said
            headings = {"kind": "Kinds of vertices", "sink": "Sinks", "pattern": "Patterns"}
            if key in headings:
                yield headings[key], str(value), said
