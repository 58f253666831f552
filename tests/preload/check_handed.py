#!/usr/bin/env python3
"""Locks released by another thread than the one that waited for them: every wait is recorded once, whenever it is written.

usage: check_handed.py LOCKS ROUNDS
"""

import sys

from harness import *

run = fixture("handed", *sys.argv[1:3], policy="native", holds="all")
if not NATIVE:
    rec = run.recording()
    for lock in run.locks:
        check_lock(rec, lock, "handed locks")
        same(rec.counter(lock, "contended"), lock.acquired // 2, f"handed locks: waits for the lock at {lock.address:#x}")
    sums = sum(p["count"] for p in rec.pairs)
    same(sums + rec.lost["pairs_dropped"], sum(l.acquired // 2 for l in run.locks), "handed locks: waits by place")
finish()
