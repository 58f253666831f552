#!/usr/bin/env python3
"""Runs one pitfall test: run.py NAME. `run.py --list` prints the names."""

import sys

# Each registers its tests.
import interrupted  # noqa: F401
import meaning  # noqa: F401
import noise  # noqa: F401
import processes  # noqa: F401
import seeing  # noqa: F401
import stacks  # noqa: F401
import startup  # noqa: F401
import surroundings  # noqa: F401
import trust  # noqa: F401
from harness import main, pitfalls

if "--list" in sys.argv:
    print("\n".join(pitfalls))
else:
    main()
