#!/usr/bin/env python3
"""Locks that are idle or gone are folded into their class, and not one count is lost by it: in a program that ends, and
in one that is killed while it happens."""

import collections
import os
import random
import signal
import subprocess
import sys
import time

from harness import *

THREADS, STEPS, KILLS = 4, 60000, int(sys.argv[1]) if len(sys.argv) > 1 else 8
SETTINGS = {"RELOCK_DEFLATE_INTERVAL": "1ms", "RELOCK_DEFLATE_THRESHOLD": "10"}
FOLDED = 1 << 11


def acquired(rec):
    return sum(e[4] for e in rec.entries)


def check_rows(rec, what):
    """Every count is a lock's or a class's that is there, and nothing was born by being used."""
    known = {i + 1 for i in rec.records}
    stray = [e for e in rec.entries if (e[4] or e[5]) and e[1] not in known]
    same(stray, [], f"{what}: counts of no lock")
    # One row a class and thread, but for those whose counts went over and that will be used again.
    of_class = collections.Counter((e[3], e[0]) for e in rec.entries if e[0] >> 63 and not e[0] >> 60 & 1)
    check(max(of_class.values(), default=0) <= 2, f"{what}: rows of classes: {of_class.most_common(3)}")
    out = [e for e in rec.entries if e[0] >> 63 and e[0] >> 60 & 1]
    check(sum(e[4] for e in out) <= sum(e[4] for e in rec.entries) // 100, f"{what}: counts in rows that were taken out")
    births = {c["birth"] for i, c in rec.classes.items() if i > 0}
    check(births <= {BORN_STATIC, BORN_INIT}, f"{what}: births {births}")


def run_to_the_end(policy, threshold):
    extra = {**SETTINGS, "RELOCK_DEFLATE_THRESHOLD": threshold}
    run = fixture("churn", os.path.join(new_directory(), "progress"), THREADS, STEPS, policy=policy, holds="all", extra=extra)
    if NATIVE:
        return
    what, rec = f"{policy}, threshold {threshold}", run.recording()
    same(acquired(rec), run.values["acquired"], f"{what}: acquisitions")
    same(rec.acquired(run.locks[0]), run.locks[0].acquired, f"{what}: acquisitions of the static lock")
    check_rows(rec, what)
    created = sum(c["created"] for c in rec.classes.values() if c["birth"] == BORN_INIT)
    same(created, run.values["made"], f"{what}: locks made")
    lost = {k: v for k, v in rec.lost.items() if v and k not in ("cells_folded", "pairs_dropped")}
    same(lost, {}, f"{what}: losses")
    seen = rec.header["deflation"]
    if threshold == "0":
        same(seen["scans"], 0, f"{what}: looks")
    else:
        check(seen["folded"] > 1000, f"{what}: {seen} of {run.values['made']} locks")
    print(f"{what}: {acquired(rec)} acquisitions, {len(rec.records)} records at the end, {seen}")


def run_and_kill(seconds):
    directory = new_directory()
    path = os.path.join(directory, "progress")
    victim = subprocess.Popen([os.path.join(FIXTURES, "churn"), path, str(THREADS), "0"],
                              env=environment("native", "sampled", directory, SETTINGS))
    try:
        time.sleep(seconds)
    finally:
        victim.send_signal(signal.SIGKILL)
        same(victim.wait(), -signal.SIGKILL, "how the program ended")
    done = sum(pairs for _, pairs in progress(path, 2))
    if NATIVE or not done:
        return
    rec = Run(0, "", "", directory).recording()
    check(done <= acquired(rec) <= done + THREADS, f"killed after {seconds:.2f} s: recorded {acquired(rec)}, published {done}")
    print(f"killed after {seconds:.2f} s: published {done}, recorded {acquired(rec)}, {rec.header['deflation']}")


for policy, threshold in (("native", "0"), ("native", "90"), ("native", "10"), ("spin-yield", "10"), ("spin-park", "90")):
    run_to_the_end(None if NATIVE else policy, threshold)
chance = random.Random(2017)
for _ in range(KILLS):
    run_and_kill(chance.uniform(0.1, 0.8))
finish()
