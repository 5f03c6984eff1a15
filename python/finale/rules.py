"""The rule language, for your own protocols and variants: docs/rules.md."""

from finale.model import rules
from finale.model.language.renaming import retire
from finale.model.rules import *  # noqa: F403

__all__ = ["retire"]
__all__ += rules.__all__
