"""Runs an example that polls: `python3 virtual_clock.py example.py`.

The clock advances only during waits, which end at once. The third wait ends the program.
"""

import runpy
import sys
import time

now_seconds = 0.0
waits = 0


def wait(seconds):
    global now_seconds, waits
    waits += 1
    if waits == 3:
        sys.exit()
    now_seconds += seconds


time.monotonic = lambda: now_seconds
time.sleep = wait
example = sys.argv[1]
sys.path.insert(0, ".")
runpy.run_path(example)
