"""Builds a spec again with another table, under the same change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from checker.spec.claim import Spec
from checker.spec.grid import Values
from checker.spec.reading import spec_of


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
    )


__all__ = ["rebuilt"]
