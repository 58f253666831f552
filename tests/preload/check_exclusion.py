#!/usr/bin/env python3
"""Exclusion and exact sums: THREADS threads on one lock of KIND under every policy.

usage: check_exclusion.py mutex|spin|rwlock THREADS ROUNDS HOLD_NS
"""

import sys

from harness import *

kind, threads, rounds, hold_ns = sys.argv[1], *map(int, sys.argv[2:5])


def check_clock(run, rec, what):
    """Bounds that hold by construction, the calls being nested in the program's own measurements.

    A hold starts and ends inside the acquiring and the releasing call, so with every hold timed
    inner <= holds and waits + holds <= outer. Waiting happens inside the acquiring call. 2 % and 1 ms are
    for the two clocks differing.
    """
    waits = sum(rec.counter(l, "wait_total") for l in run.locks)
    holds = sum(rec.counter(l, "hold_total") for l in run.locks)
    slack = 1_000_000
    check(waits <= run.values["call_ns"] * 1.02 + slack, f"{what}: waited {waits} ns, the program measured {run.values['call_ns']}")
    check(holds >= run.values["inner_ns"] * 0.98 - slack, f"{what}: held {holds} ns, the program measured at least {run.values['inner_ns']}")
    check(waits + holds <= run.values["outer_ns"] * 1.02 + slack,
          f"{what}: waited and held {waits} + {holds} ns, the program measured {run.values['outer_ns']}")


def check_holds(run, rec, what):
    for lock in run.locks:
        timed = rec.counter(lock, "holds")
        same(timed, lock.acquired, f"{what}: timed holds of {lock}")
        same(rec.counter(lock, "hold_hist"), timed, f"{what}: {lock}: hold histogram")
        check(rec.counter(lock, "hold_total") >= rec.counter(lock, "holds") > 0, f"{what}: {lock}: holds took no time")
        check(rec.counter(lock, "owner_changes") <= rec.counter(lock, "owners_seen") <= lock.acquired,
              f"{what}: {lock}: owner changes are not a part of the owners seen")


for policy in policies():
    for holds in ("off", "sampled", "all"):
        run = fixture("exclusion", kind, threads, rounds, hold_ns, policy=policy, holds=holds)
        if NATIVE:
            continue
        what = f"{policy}, holds {holds}"
        rec = run.recording()
        same(rec.header["end"], EXITED, f"{what}: end of the recording")
        for lock in run.locks:
            acquired, contended = check_lock(rec, lock, what)
            check(all(r["waiters"] == 0 for r in rec.records.values()), f"{what}: someone still waits")
            print(f"{what}: {lock}: acquired {acquired}, contended {contended}")
        if holds == "all":
            check_holds(run, rec, what)
            check_clock(run, rec, what)
        elif holds == "off":
            same(sum(rec.counter(l, "holds") for l in run.locks), 0, f"{what}: holds timed though they are off")
finish()
