"""The files of a new review: a variant that changes nothing yet, its spec, a CI file, a page.

The spec expects the verdicts that the base has today. So the first check is as expected, and a
change of the variant shows as a verdict that differs.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from finale import rules
from finale._face import public_name
from finale.checker.search.rows import ResultRow, SpecResult
from finale.checker.search.verdict import Word
from finale.checker.spec.typed import is_table
from finale.checker.spec.writing import table_lines
from finale.model.language.decorators import mark_of
from finale.model.language.observing import sound_kind
from finale.model.language.protocol import Protocol

from .offers import offers_page
from .rule import Body, bodies, sentence_of

VARIANT = "my-change"
CLASS = "MyChange"
VARIANT_FILE = PurePosixPath("protocols/my_change.py")
SPEC_FILE = PurePosixPath("specs/my-change.toml")
CI_FILE = PurePosixPath(".github/workflows/finale.yml")
PAGE_FILE = PurePosixPath("what-a-rule-can-use.md")
#: Comments and code of a file that is written are no wider than this.
COLUMNS = 100
_CI = """\
# Checks the specs of this folder in each pull request.
# Replace OWNER by the owner of the repository of Finale. GitHub reads this file only in the folder
# .github/workflows at the top of your repository: if this folder is further down, move the file
# there, and write the path of this folder before `specs` and `protocols`.
name: Finale
on:
  pull_request:
  push:
    branches: [main]

permissions:
  contents: read
  security-events: write

jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: OWNER/finale@main
        with:
          specs: specs
          protocols: protocols
"""


#: The tables of the spec that describe a setting, in their order, each with its comment.
TABLES = {
    "job": "The job: a standard shape, or vertices one by one.",
    "options": "The options; the others have their defaults.",
    "sizes": "The sizes; the others have their defaults.",
    "bounds": "How much is explored. Larger bounds find more, and take longer.",
    "observe": "The history that the state records, for the properties that read it.",
}


def files_of(
    protocol: Protocol, rule: str, setting: Mapping[str, object], base: SpecResult
) -> dict[PurePosixPath, str]:
    """Return the files by their names.

    `setting` has the tables of the spec, and `base` is the check of the base in this setting.
    """
    kind = sound_kind(type(protocol))
    return {
        VARIANT_FILE: variant_text(kind, rule),
        SPEC_FILE: spec_text(kind.key, setting, base),
        CI_FILE: _CI,
        PAGE_FILE: offers_page(protocol),
    }


# --- the variant ---------------------------------------------------------------------------------


def variant_text(kind: type[Protocol], rule: str) -> str:
    """Return the Python file of a variant that overrides a rule or a helper.

    It changes nothing yet.
    """
    body = bodies(kind, rule)[0]
    mark = mark_of(vars(body.owner)[rule])
    is_rule = mark is not None and mark.role == "rule"
    what = "rule" if is_rule else "helper"
    given = "".join(f", {name}: {annotation}" for name, annotation in body.parameters.items())
    names = ", ".join(body.parameters)
    note = (
        f"This {what} replaces the {what} of the base that has the same name. To change another "
        f"{what}, rename this method and give it the parameters of the other {what}. To change "
        f"several, write one method for each. {PAGE_FILE} lists all rules."
    )
    lines = [
        f'"""A proposed change of {kind.key}: say here in one sentence what changes."""',
        "",
        "from __future__ import annotations",
        "",
        *sorted(_imports(kind, body)),
        "",
        "",
        f"class {CLASS}({kind.__name__}):",
        f'    """{kind.__name__} with the proposed change."""',
        "",
        *(f"    # {line}" for line in textwrap.wrap(note, COLUMNS - 6)),
        *([] if mark is None else [f"    @{mark.role}"]),
        f"    def {rule}(self{given}) -> {body.returns}:",
        *_sentence(sentence_of(body), is_rule),
        f"        # The next line runs the {what} of the base: the variant changes nothing yet.",
        "        # Write your change below the line, above the line, or instead of the line.",
        f"        {'' if body.returns == 'None' else 'return '}super().{rule}({names})",
        "",
        f"    # The body of the base's {what}, to copy from ({body.place}):",
        *(f"    #   {line}".rstrip() for line in _below_docstring(body)),
        "",
        "",
        "# The name of the variant in specs: variant = …",
        f'VARIANTS = {{"{VARIANT}": {CLASS}}}',
    ]
    return "\n".join(lines) + "\n"


def _sentence(text: str, is_rule: bool) -> Iterator[str]:
    """The docstring of the override, which is that of the base until somebody changes it."""
    if is_rule:
        yield "        # Every trace shows this sentence: write what happens."
    if not text:
        return
    quoted = text.replace("\\", "\\\\").replace('"', "'")
    yield from (f"        {line}" for line in textwrap.wrap(f'"""{quoted}"""', COLUMNS - 8))


def _below_docstring(body: Body) -> list[str]:
    """The lines of the base's rule below its docstring."""
    source = body.source
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.FunctionDef)
    statements = definition.body[1:] if ast.get_docstring(definition) else definition.body
    if not statements:
        return ["    (nothing: the helper is there to be overridden)"]
    lines = source.rstrip().splitlines()[statements[0].lineno - 1 :]
    return [line.removeprefix("    ") for line in lines]


def _imports(kind: type[Protocol], body: Body) -> Iterable[str]:
    """The import statements of the override, one for each module."""
    function = inspect.unwrap(body.function)
    mark = mark_of(vars(body.owner)[function.__name__])
    values: dict[str, object] = {kind.__name__: kind}
    for annotation in (*body.parameters.values(), body.returns):
        for node in ast.walk(ast.parse(annotation)):
            if isinstance(node, ast.Name) and node.id in function.__globals__:
                values[node.id] = function.__globals__[node.id]
    wanted: dict[str, set[str]] = {}
    if mark is not None:
        wanted[rules.__name__] = {mark.role}
    for name, value in values.items():
        module, original = _origin(name, value, function)
        what = name if name == original else f"{original} as {name}"
        wanted.setdefault(module, set()).add(what)
    for module, names in wanted.items():
        yield f"from {module} import {', '.join(sorted(names))}"


def _origin(name: str, value: object, function: Callable[..., object]) -> tuple[str, str]:
    """Return the module to import a value from, and its name there.

    That is a public module of Finale; else where the value is defined; else the file of the rule.
    """
    if vars(rules).get(name) is value:
        return rules.__name__, name
    own = function.__module__
    for module in ("typing", getattr(value, "__module__", own)):
        if not module.startswith("finale.") and vars(sys.modules[module]).get(name) is value:
            return module, name
    return public_name(value) or (own, name)


# --- the spec ------------------------------------------------------------------------------------


def spec_text(key: str, setting: Mapping[str, object], base: SpecResult) -> str:
    """Return the spec of the variant in a setting: it expects what the base does."""
    lines = [
        "# What must be true of your change. Check it with:",
        f"#     finale check {SPEC_FILE} --protocols {VARIANT_FILE.parent}",
        "",
        f'title    = "Verdicts of {key} with my change"',
        f'protocol = "{key}"',
        f'variant  = "{VARIANT}"',
    ]
    bounds = base.spec.setting.bounds
    given = setting.get("bounds", {})
    assert is_table(given)
    names = [n for n in base.spec.protocol.bound_names() if n in given or bounds.get(n)]
    tables = {**setting, "bounds": {name: int(bounds[name]) for name in names}}
    for name, comment in TABLES.items():
        table = tables.get(name)
        if is_table(table) and (table or name == "bounds"):
            lines += ["", f"# {comment}", *table_lines(name, table)]
    lines += ["", *_expected(base)]
    return "\n".join(lines) + "\n"


def _expected(base: SpecResult) -> Iterator[str]:
    claims = [row for row in base.rows if row.is_claim]
    decided = [row for row in claims if row.word in (Word.HOLDS, Word.VIOLATED)]
    yield "# The verdicts of the base on this job. If your change is meant to change one, change it"
    yield "# here, too."
    yield from _entries(row for row in decided if not row.is_unreached)
    unreached = [row for row in decided if row.is_unreached]
    if unreached:
        yield "# No run of the base reaches these situations on this job: the verdict is violated."
        yield from _entries(unreached)


def _entries(rows: Iterable[ResultRow]) -> Iterator[str]:
    for row in rows:
        yield from ("[[expect]]", f'property = "{row.property}"', f'verdict  = "{row.word}"', "")
