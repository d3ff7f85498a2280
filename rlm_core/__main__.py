"""``python -m rlm_core``: the same as the command ``rlm``."""

import sys

from rlm_core.cli import main

if __name__ == "__main__":
    sys.exit(main())
