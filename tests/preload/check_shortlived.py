#!/usr/bin/env python3
"""Thousands of threads that come and go: exact sums, a row for each, and memory for those alive at a time only.

usage: check_shortlived.py THREADS ALIVE
"""

import sys
from collections import Counter

from harness import *

threads, alive = int(sys.argv[1]), int(sys.argv[2])


def recorded_by_thread(rec):
    """Counter of (tid, acquisitions): what a thread did is what its shard gained until the next one took it over."""
    shards, rows = rec.by_shard(), sorted(rec.threads, key=lambda t: (t["shard"], t["birth"]))
    result = Counter()
    for row, following in zip(rows, rows[1:] + [None]):
        handed_on = following is not None and following["shard"] == row["shard"]
        end = following["before_acquired"] if handed_on else shards.get(row["shard"], 0)
        result[row["tid"], end - row["before_acquired"]] += 1
    return result


run = fixture("shortlived", threads, alive)
if not NATIVE:
    rec = run.recording()
    for lock in run.locks:
        check_lock(rec, lock, "short threads")
    counted = Counter()
    for line in run.stdout.splitlines():
        if line.startswith("thread "):
            _, tid, pairs = line.split()
            counted[int(tid), int(pairs)] += 1
    recorded = recorded_by_thread(rec)
    missing = counted - recorded
    check(not missing, f"{sum(missing.values())} threads are not in the recording with what they did, e.g. {list(missing)[:3]}")
    others = recorded - counted
    check(sum(others.values()) <= 1, f"thread rows of no known thread: {list(others)[:5]}")  # the main thread's
    ended = sum(1 for t in rec.threads if t["end"] != 0)
    check(ended >= threads, f"{ended} of {threads} threads have an end")
    check(len(rec.shards) <= 2 * alive + 2, f"{len(rec.shards)} shards for {alive} threads alive at a time")
    print(f"{len(rec.threads)} thread rows, {len(rec.shards)} shards, {rec.disk_bytes() >> 10} KiB on disk")
    check(rec.disk_bytes() < 16 << 20, f"{rec.disk_bytes()} bytes on disk")
finish()
