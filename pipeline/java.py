"""Finds the Java that Spark would start, and refuses versions that Spark does not support.

As `spark-class` of Spark does it: `JAVA_HOME` where it is set, else `java` on PATH.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

from finale.model.errors import FinaleError, Place

#: Spark 4 runs on Java 17 and later.
JAVA_MIN = 17
PACKAGES = ("pandas", "pyarrow", "pyspark")
#: A Java that says nothing for so long is none.
SECONDS_OF_JAVA = 60
INSTALL_JAVA = (
    f"install a Java of version {JAVA_MIN} or later, as Debian's openjdk-{JAVA_MIN}-jre-headless, "
    "and name it in JAVA_HOME if it is not on PATH"
)
_VERSION = re.compile(r'version "(\d+)(?:\.(\d+))?')


def require_spark() -> int:
    """The version of Java. Raises `spark-missing` and what `java_version` raises."""
    require_packages()
    return java_version()


def require_packages() -> None:
    """Raises `spark-missing`; tables in Parquet need them too, and no Java."""
    if not all(find_spec(each) for each in PACKAGES):
        raise FinaleError(
            "spark-missing",
            "PySpark or one of its dependencies is not installed",
            advice="install Finale with its extra: pip install -e '.[spark]'",
        )


def java_version() -> int:
    """The version of the Java that Spark starts. Raises `java-missing`, `java-too-old`."""
    java = _java()
    try:
        asked = [str(java), "-version"]
        ran = subprocess.run(asked, capture_output=True, timeout=SECONDS_OF_JAVA, check=False)
    except (OSError, subprocess.TimeoutExpired):
        raise _missing(f"{java} cannot be run", java) from None
    told = _VERSION.search((ran.stderr + ran.stdout).decode(errors="replace"))
    if ran.returncode != 0 or told is None:
        raise _missing(f"{java} does not tell its version", java)
    version = int(told[2] if told[1] == "1" and told[2] else told[1])
    if version < JAVA_MIN:
        raise FinaleError(
            "java-too-old",
            f"this Java is of version {version}, and Spark needs {JAVA_MIN} or later",
            place=Place(str(java)),
            advice=INSTALL_JAVA,
        )
    return version


def _java() -> Path:
    home = os.environ.get("JAVA_HOME")
    if home:
        java = Path(home) / "bin" / "java"
        if not os.access(java, os.X_OK):
            raise _missing("JAVA_HOME is set, and there is no Java in it", java)
        return java
    found = shutil.which("java")
    if found is None:
        raise _missing("Spark needs Java, and there is none on this machine")
    return Path(found)


def _missing(message: str, java: Path | None = None) -> FinaleError:
    place = None if java is None else Place(str(java))
    return FinaleError("java-missing", message, place=place, advice=INSTALL_JAVA)
