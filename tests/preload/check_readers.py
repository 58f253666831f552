#!/usr/bin/env python3
"""Readers of a rwlock that is seldom written: they are all counted, and where one meets the writer its wait is recorded.

Before each such meeting there are more reads than after which readers stop looking for writers.
"""

from harness import *

ROUNDS, READS = 20, 20000

for policy in policies():
    for way in ("write", "try", "timed", "neighbour", "other-process", "shared-later"):
        run = fixture("seldom_written", way, ROUNDS, READS, policy=policy)
        if NATIVE:
            continue
        what = f"{policy}, {way}"
        found = [r for r in run.recordings() if r.acquired(run.locks[0]) > ROUNDS]
        if not check(len(found) == 1, f"{what}: the reader's recording is one of {len(run.recordings())}: {run.stderr}"):
            continue
        for lock in run.locks:
            check_lock(found[0], lock, what)
        met = found[0].counter(run.locks[0], "contended")
        check(ROUNDS / 2 <= met, f"{what}: the reader waited {met} times for a writer, in {ROUNDS} meetings")
finish()
