"""Builds a spec again with another table, under the same change, and says how the two differ."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace

from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import Values
from finale.checker.spec.reading import spec_of
from finale.checker.spec.writing import job_table


def rebuilt(spec: Spec, table: Mapping[str, object], values: Values = ()) -> Spec:
    """Return a spec of the same file and protocol, with another table. Raises coded errors.

    Under a change the protocol of the catalogue is the variant, and no table names it. `values`
    are those of the table that the file does not have.
    """
    assert spec.table is not None
    is_under_change = spec.catalogue.protocol(spec.protocol.key) is spec.protocol
    read = {key: value for key, value in table.items() if key != "variant" or not is_under_change}
    made = spec_of(spec.file, read, spec.lines, spec.catalogue)
    return replace(
        made,
        variant=spec.variant,
        asks_all=spec.asks_all,
        table=table,
        values=(*spec.values, *values),
        left_out=spec.left_out,
    )


def values_to(before: Spec, after: Spec) -> tuple[tuple[str, object], ...]:
    """Return the values that make the other setting of a spec from its file, as `--set` takes them.

    These are the values that the spec was given, and where the two settings differ. What `after`
    has by default is written out, as the file can say something else.
    """
    differing = tuple(_differing(before, after))
    keys = {key for key, _ in differing}
    heads = tuple(f"{key}." for key in keys)
    kept = [each for each in before.values if each[0] not in keys]
    return (*(each for each in kept if not each[0].startswith(heads)), *differing)


def _differing(before: Spec, after: Spec) -> Iterator[tuple[str, object]]:
    protocol, old, new = after.protocol, before.setting, after.setting
    for part, kind, was, now in (
        ("options", protocol.Options, old.options, new.options),
        ("bounds", protocol.Bounds, old.bounds, new.bounds),
        ("sizes", protocol.Sizes, old.sizes, new.sizes),
    ):
        for each in fields(kind):
            value = now.get(each.name, each.default)
            if value != was.get(each.name, each.default):
                yield f"{part}.{each.name}", value.value if isinstance(value, enum.Enum) else value
    for name in sorted(old.observe ^ new.observe):
        yield f"observe.{name}", name in new.observe
    if new.job is not None and new.job != old.job:
        yield "job", job_table(new.job)


__all__ = ["rebuilt", "values_to"]
