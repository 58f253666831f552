#!/usr/bin/env python3
"""Condition variables: acquisitions inside waits are counted one by one, whatever woke the waiter."""

from harness import *

ROUNDS = {"pingpong": 3000, "broadcast": 500, "timeouts": 2000, "c11": 3000}

for policy in policies():
    for kind, rounds in ROUNDS.items():
        run = fixture("conds", kind, rounds, policy=policy, holds="all")
        if NATIVE:
            continue
        rec, lock, what = run.recording(), run.lock("guard"), f"{policy}, {kind}"
        acquired, contended = check_lock(rec, lock, what)
        same(rec.counter(lock, "reacquired"), run.values["waits"], f"{what}: re-acquisitions")
        same(rec.counter(lock, "cond_waits"), run.values["waits"], f"{what}: condition waits")
        same(rec.lost["conds_delegated"], 0, f"{what}: condition waits left to glibc")
        same(rec.counter(lock, "holds"), acquired, f"{what}: timed holds; a condition wait ends one and begins one")
        print(f"{what}: {run.values['waits']} waits, {contended} of {acquired} contended")

if not NATIVE:
    # Left to glibc whole, the re-acquisitions cannot be seen: they must be missing exactly, and said to be.
    run = fixture("conds", "pingpong", 3000, extra={"RELOCK_COND": "native"})
    rec, lock, waits = run.recording(), run.lock("guard"), run.values["waits"]
    same(rec.acquired(lock), lock.acquired - waits, "cond = native: acquisitions")
    same(rec.lost["conds_delegated"], waits, "cond = native: condition waits left to glibc")
finish()
