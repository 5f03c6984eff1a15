"""The command line: the front door, one file a command."""
