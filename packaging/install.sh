#!/usr/bin/env bash
# Installs Finale from this checkout, with the pinned versions: install.sh FOLDER [PACKAGE…]
# FOLDER becomes a virtual environment. PYTHON names another interpreter than python3.
set -euo pipefail
checkout=$(cd "$(dirname "$0")/.." && pwd)
folder=$1
shift

"${PYTHON:-python3}" "$checkout/packaging/links.py"

# A build leaves folders beside what it builds: build a copy, of the folders that the package links.
parts=$(find "$checkout/python/finale" -maxdepth 1 -type l -printf '%f ')
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
for each in $parts python packaging pytest-finale pyproject.toml setup.py README.md; do
    cp -R "$checkout/$each" "$copy/"
done

"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check \
    --constraint "$checkout/constraints.txt" "$copy" "$copy/pytest-finale" "$@"
"$folder/bin/finale" --version
