"""The command line: a file for each command, and what commands share."""

#: The version of Finale, which `--version`, JSON and traces name.
VERSION = "0.1.0"
