#!/usr/bin/env python3
"""With holds of 200 µs, nearly all the time inside the acquiring calls is waiting: the recording has to say so too.

The bound from above holds by construction. That from below leaves half of the time for what a call does
before and after its wait, which is a thousand times more than it takes.
"""

from harness import *

THREADS, ROUNDS, HOLD_NS = 2, 150, 200_000

for policy in policies():
    for kind in ("mutex", "spin", "rwlock"):
        run = fixture("exclusion", kind, THREADS, ROUNDS, HOLD_NS, policy=policy, holds="all")
        if NATIVE:
            continue
        rec, what = run.recording(), f"{policy}, {kind}"
        for lock in run.locks:
            check_lock(rec, lock, what)
        waited, called = sum(rec.counter(l, "wait_total") for l in run.locks), run.values["call_ns"]
        contended = sum(rec.counter(l, "contended") for l in run.locks)
        # A lock that is taken back at once by the thread that let go starves the other: then few calls wait, for long.
        check(contended > 0, f"{what}: two threads that hold 200 µs each never met")
        check(called * 0.5 <= waited <= called * 1.02 + 1e6, f"{what}: waited {waited} ns of {called} ns in the calls")
        held = sum(rec.counter(l, "hold_total") for l in run.locks)
        check(held >= THREADS * ROUNDS * HOLD_NS * 0.98, f"{what}: held {held} ns, less than asked for")
        print(f"{what}: waited {waited / 1e6:.1f} of {called / 1e6:.1f} ms in {contended} waits")
finish()
