"""Ways in which a protocol can keep or reach a number that an edit then changes."""

from .code import CODE
from .modules import ANSWERS, MODULES, OUTSIDE, PATCHES
from .protocols import PROTOCOLS, VARIANTS
from .values import VALUES

#: All ways; the environment is in no key: see docs/cache.md.
WAYS = (*VALUES, *CODE, *PROTOCOLS, *VARIANTS, *MODULES, *ANSWERS, *PATCHES, *OUTSIDE)

__all__ = ["WAYS"]
