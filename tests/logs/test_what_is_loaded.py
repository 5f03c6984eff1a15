"""A log of Flink is judged without the engine, and without what reviews specs."""

import subprocess
import sys
from pathlib import Path

_LOG = Path(__file__).parent / "suspended-source.log.xz"
_PROGRAM = """
import sys
from finale.cli.main import main
sys.argv = ["finale", "validate", "--accept", sys.argv[1]]
try:
    main()
except SystemExit:
    pass
print([name for name in sys.modules if name.startswith({unwanted})])
"""


def test_validate_loads_no_engine_and_no_review() -> None:
    unwanted = ("finale.reference", "finale.checker.review")
    program = _PROGRAM.format(unwanted=unwanted)
    done = subprocess.run(
        [sys.executable, "-c", program, str(_LOG)], capture_output=True, text=True, check=True
    )
    *judged, loaded = done.stdout.splitlines()
    assert "accepted" in judged[-1]
    assert loaded == "[]"
