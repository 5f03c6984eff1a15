"""The version of Finale, which `--version`, JSON and traces name."""

VERSION = "0.1.0"
