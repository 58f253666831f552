#!/usr/bin/env python3
"""Condition variables: acquisitions inside waits are counted one by one, whatever woke the waiter."""

import os

from harness import *

ROUNDS = {"pingpong": 500, "broadcast": 100, "timeouts": 500, "c11": 500}

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
    # Left to glibc whole, the waits are counted as such, and the acquisitions inside them no less.
    run = fixture("conds", "pingpong", 500, extra={"RELOCK_COND": "native"})
    rec, lock = run.recording(), run.lock("guard")
    same(rec.acquired(lock), lock.acquired, "cond = native: acquisitions")
    same(rec.lost["conds_delegated"], run.values["waits"], "cond = native: condition waits left to glibc")

    # Without a recording, a wait is ours only where the mutex is then waited for in another way.
    sees = os.path.join(FIXTURES, "libsees_conds.so")
    cases = (("native", "off", "programs"), ("native", "on", "librarys"), ("spin-park", "off", "librarys"))
    for policy, recorded, whose in cases if os.path.exists(sees) else ():
        run = fixture("conds", "pingpong", 500, policy=policy, extra={"RELOCK_RECORD": recorded, "LD_PRELOAD": LIBRARY + ":" + sees})
        what = f"{policy}, recording {recorded}: condition waits with a mutex of "
        for of in ("programs", "librarys"):
            check((run.values[of] > 0) == (of == whose), f"{what}{of}: {run.values[of]}")
finish()
