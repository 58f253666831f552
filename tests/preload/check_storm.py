#!/usr/bin/env python3
"""Signal handlers that lock, landing inside hooks: no count is lost or torn, under any policy.

usage: check_storm.py SIGNALS
"""

import sys

from harness import *

for policy in policies():
    run = fixture("storm", sys.argv[1], policy=policy, holds="all")
    if NATIVE:
        continue
    rec, what = run.recording(), str(policy)
    for lock in run.locks:
        acquired, contended = check_lock(rec, lock, what)
        print(f"{what}: {lock}: acquired {acquired}, contended {contended}")
    ranges = [(run.values[f"fresh_start_{i}"], run.values[f"fresh_end_{i}"]) for i in range(2)]
    fresh = {i + 1 for i, r in rec.records.items() if any(a <= r["lock"] < b for a, b in ranges)}
    same(sum(e[4] for e in rec.entries if e[1] in fresh), run.values["fresh_uses"], f"{what}: acquisitions of fresh locks")
finish()
