"""Fails if this checkout lacks the links of the package `finale` to its folders (decision 28)."""

import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "finale"
PARTS = ("model", "checker", "reference", "pipeline", "cli", "specs", "docs")

missing = [f"python/finale/{part}" for part in PARTS if not (PACKAGE / part).is_dir()]
if missing:
    sys.exit(
        f"error: {', '.join(missing)}: no link to a folder.\n"
        "  Finale's package consists of symbolic links, which a zip file or Git on Windows may "
        "replace by small files.\n"
        "  help: clone the repository with git where links are allowed "
        "(on Windows: turn on developer mode, then git clone -c core.symlinks=true)"
    )
