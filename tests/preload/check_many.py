#!/usr/bin/env python3
"""100 000 locks, born in every way: sums are exact per class and per lock, and classes are told apart.

Where memory or the number of locks is bounded, locks that no longer fit are folded together, and the sum over all is exact.

usage: check_many.py LOCKS THREADS ROUNDS
"""

import sys

from harness import *

WAYS = ("make_alpha", "make_beta", "make_gamma", "make_delta", "first_use")


def classes_within(run, rec, name, birth):
    return {i for i, c in rec.classes.items() if c["birth"] == birth and run.within(c["address"], name)}


def check_class(run, rec, name, what):
    birth = BORN_FIRST_USE if name == "first_use" else BORN_INIT
    found = classes_within(run, rec, name, birth)
    if not check(len(found) == 1, f"{what}: {len(found)} classes for the locks of {name}"):
        return
    same(rec.class_acquired(found), run.values[f"acquired_{name}"], f"{what}: acquisitions of the locks of {name}")
    created, destroyed = (sum(rec.classes[i][key] for i in found) for key in ("created", "destroyed"))
    same(created, run.values[f"created_{name}"], f"{what}: locks born in {name}")
    same(destroyed, run.values.get(f"destroyed_{name}", destroyed), f"{what}: locks of {name} destroyed")


def check_recording(run, rec, what, bounded):
    folded = rec.lost["locks_folded"] + rec.lost["entries_folded"]
    check((folded > 0) == bounded, f"{what}: {folded} folded")
    # Bounds take away what is known of single locks, never what is counted for a class.
    for name in WAYS:
        check_class(run, rec, name, what)
    if not bounded:
        # Where idle locks are folded, only their classes can be told.
        for lock in run.locks if what == "no deflation" else ():
            same(rec.acquired(lock), lock.acquired, f"{what}: acquisitions of {lock} at {lock.address:#x}")
    total = sum(e[4] for e in rec.entries)
    expected = sum(run.values[f"acquired_{n}"] for n in WAYS) + sum(l.acquired for l in run.locks if l.name != "reused")
    same(total, expected, f"{what}: acquisitions in all")
    lost = {name: count for name, count in rec.lost.items() if count}
    print(f"{what}: {total} acquisitions, {len(rec.records)} records, {rec.disk_bytes() >> 20} MiB on disk, lost {lost}")


def check_report(rec, what):
    text = report_text(rec.path, "--by", "class", "-n", "20")
    if text is None:
        return
    for name in WAYS + ("in_static_array",):
        check(name in text, f"{what}: the report by class does not name {name}:\n{text}")
    sums = {c["name"]: c["acquired"] for c in report_json(rec.path, "--by", "class")["classes"]}
    for name in WAYS:
        same([n for n in sums.items() if name in n[0]], [(n, run.values[f"acquired_{name}"]) for n in sums if name in n],
             f"{what}: acquisitions of {name} in the report")


for extra, what in (({"RELOCK_DEFLATE_THRESHOLD": "0"}, "no deflation"), ({}, "default"), ({"RELOCK_MAX_LOCKS": "1000"}, "at most 1000 locks"), ({"RELOCK_MAX_MEMORY": "4MiB"}, "at most 4 MiB"), ({"RELOCK_MAX_MEMORY": "1MiB"}, "at most 1 MiB")):
    run = fixture("many", *sys.argv[1:4], extra=extra)
    if NATIVE:
        break
    rec = run.recording()
    check_recording(run, rec, what, bounded=what.startswith("at most"))
    if "RELOCK_MAX_MEMORY" in extra:
        limit = int(extra["RELOCK_MAX_MEMORY"][:-3]) << 20
        check(rec.disk_bytes() <= limit, f"{what}: {rec.disk_bytes()} bytes on disk")
    else:
        # A record, an entry a thread that used it, and little beside.
        check(rec.disk_bytes() <= len(rec.records) * (64 + 32 * int(sys.argv[2])) * 1.5 + len(rec.cells) * 3000 + (4 << 20), f"{what}: {rec.disk_bytes()} bytes for {len(rec.records)} locks")
    if what == "no deflation":
        check_report(rec, what)
finish()
