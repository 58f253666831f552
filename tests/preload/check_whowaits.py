#!/usr/bin/env python3
"""Who waits for whom: the functions that wait longest and hold longest are named, home-made waiting is found."""

from harness import *

YIELD_SCHED, YIELD_SLEEP = 1, 2
ROUNDS = 20


def check_pairs(run, rec, lock, what):
    """The pair with most waiting is patient_waiter for long_holder; all pairs together are the contended acquisitions."""
    pairs = rec.pairs_of(lock)
    counted, contended = sum(c for c, _ in pairs.values()), rec.counter(lock, "contended")
    if rec.lost["pairs_dropped"] == 0:
        same(counted, contended, f"{what}: waits with a pair")
        total, waited = sum(ns for _, ns in pairs.values()), rec.counter(lock, "wait_total")
        check(abs(total - waited) <= len(pairs) + len(rec.pairs), f"{what}: pairs waited {total} ns, the lock {waited} ns")
    if not check(pairs, f"{what}: no pairs"):
        return
    (waiter, holder), (count, ns) = max(pairs.items(), key=lambda p: p[1][1])
    check(run.within(waiter, "patient_waiter"), f"{what}: the top waiter {waiter:#x} is not in patient_waiter")
    check(run.within(holder, "long_holder"), f"{what}: the top holder {holder:#x} is not in long_holder")
    # A wait is shorter than its hold only by what passes between the waiter's word and its call.
    check(ns >= run.values["held_ns"] / 2, f"{what}: the top pair waited {ns} ns of {run.values['held_ns']} ns held")
    print(f"{what}: top pair {count} waits, {ns / 1e6:.1f} ms of {contended} waits")


def check_yields(run, rec, what):
    def total(kind, name, key):
        return sum(y[key] for y in rec.yield_sites if y["kind"] == kind and run.within(y["address"], name))

    same(total(YIELD_SCHED, "home_made_spin", "count"), run.values["yields"], f"{what}: calls of sched_yield")
    same(total(YIELD_SLEEP, "home_made_nap", "count"), run.values["naps"], f"{what}: short sleeps")
    same(total(YIELD_SLEEP, "home_made_nap", "asked_ns"), run.values["napped_ns"], f"{what}: time asked to sleep")


def check_report(rec, lock, what):
    text = report_text(rec.path)
    if text is None:
        return
    # The text leaves out places that yield seldom, JSON does not.
    for name in ("patient_waiter", "long_holder", lock.name, "home_made_spin"):
        check(name in text, f"{what}: the report does not name {name}:\n{text}")
    data = report_json(rec.path)
    names = {c["id"]: c["headline"] for c in data["contexts"]}
    for call, name in (("sched_yield", "home_made_spin"), ("sleep", "home_made_nap")):
        found = [names[y["context"]] for y in data["yield_sites"] if y["call"] == call]
        check(found and all(name in f for f in found), f"{what}: {call} is called by {found}, not by {name}")


for policy in policies():
    for mode in ("mutex", "spin", "write-write", "write-read"):
        run = fixture("whowaits", mode, ROUNDS, policy=policy)
        if NATIVE:
            continue
        rec, what = run.recording(), f"{policy}, {mode}"
        for lock in run.locks:
            check_lock(rec, lock, what)
        check_pairs(run, rec, run.locks[0], what)  # the waiters' side comes first
        check_yields(run, rec, what)
        if policy in ("native", "spin-yield"):
            check_report(rec, run.locks[0], what)
finish()
