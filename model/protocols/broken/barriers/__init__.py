"""Mistakes in handling barriers, logs and what is in flight."""

from __future__ import annotations

from collections.abc import Mapping

#: By the protocol's key and the variant's: "module:Class" within this package.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "final-checkpoint": {
        "cancels-no-further": "cancels_no_further:CancelsNoFurther",
    },
}
