"""``python -m condyle`` is the command line."""

import sys

from condyle.cli import main

if __name__ == "__main__":
    sys.exit(main())
