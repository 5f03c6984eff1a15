"""Run the command line: `python -m finale`."""

import sys

from finale.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
