#!/usr/bin/env python3
"""The preloaded library itself under ThreadSanitizer: no race is reported, and nothing is miscounted.

usage: check_races.py LIBRARY RUNTIME CASE

Each case runs with the program's locks told of, and with only the library's own (see tell.c).
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "preload"))

from harness import *  # noqa: E402

LIBRARY, RUNTIME, CASE = sys.argv[1:]
WAYS = ("told", "untold")
OPTIONS = "halt_on_error=1 exitcode=66 history_size=7 die_after_fork=0"
# Looks at all locks at every chance, so that rows change owners all the time.
BUSY = {"RELOCK_HOLDS": "all", "RELOCK_DEFLATE_INTERVAL": "1ms", "RELOCK_DEFLATE_THRESHOLD": "10"}
PASSERS = os.path.join(BUILD, "tests", "races", "passers")
SOME = ("native", "spin-yield")


def suppressions(way):
    path = os.path.join(new_directory(), "suppressions")
    with open(path, "w") as out:
        for name in ("suppressions", "suppressions.untold")[:1 if way == "told" else 2]:
            with open(os.path.join(HERE, name)) as part:
                out.write(part.read())
    return path


def race(way, policy, name, *arguments, settings=BUSY):
    extra = {"LD_PRELOAD": f"{LIBRARY} {RUNTIME}", "RACES": way, **settings,
             "TSAN_OPTIONS": f"{OPTIONS} suppressions={suppressions(way)}"}
    run = fixture(name, *arguments, policy=policy, extra=extra)
    return run, f"{os.path.basename(name)} {' '.join(map(str, arguments))}, {way}, {policy}"


def counted(way, policy, name, *arguments, settings=BUSY):
    """Also shows that the library was there."""
    run, what = race(way, policy, name, *arguments, settings=settings)
    rec = run.recording()
    for lock in run.locks:
        check_lock(rec, lock, what)
    print(f"{what}: {sum(e[4] for e in rec.entries)} acquisitions")


def everywhere(names, *command, settings=BUSY):
    for policy in names:
        for way in WAYS:
            counted(way, policy, *command, settings=settings)


def exclusion():
    for kind in ("mutex", "spin", "rwlock"):
        everywhere(policies(), "exclusion", kind, 3, 200, 200)
    everywhere(SOME, "exclusion", "mutex", 32, 20, 200)


def conds():
    for kind in ("pingpong", "broadcast", "c11"):
        everywhere(policies(), "conds", kind, 40)
    everywhere(SOME, "conds", "timeouts", 40)


def passers():
    everywhere(policies(), PASSERS, 4, 8)
    everywhere(SOME, PASSERS, 2, 40)


def short_threads():
    everywhere(policies(), "shortlived", 96, 8)


def storm():
    everywhere(policies(), "storm", 2000)


def churn():
    for policy in SOME:
        for way in WAYS:
            run, what = race(way, policy, "churn", os.path.join(new_directory(), "progress"), 3, 4400)
            acquired = sum(e[4] for e in run.recording().entries)
            same(acquired, run.values["acquired"], f"{what}: acquisitions")


def many_locks():
    for policy in SOME:
        for way in WAYS:
            race(way, policy, "many", 3000, 4, 2)


def forks():
    # What a child of several threads does is not looked at: the runtime is not made for it.
    for policy in SOME:
        for way in WAYS:
            run, what = race(way, policy, "forks", 3, "idle")
            same(len(run.recordings()), 1, f"{what}: recordings")


def handed():
    # An unlock by another thread is the program's to answer for, where it is told of.
    counted("untold", "native", "handed", 6, 2)


def settings():
    for more in ({"RELOCK_HOLDS": "sampled"}, {"RELOCK_HOLDS": "off"}, {"RELOCK_COND": "native"}, {"RELOCK_STACKS": "off"}):
        for command in (("exclusion", "mutex", 3, 200, 200), ("conds", "pingpong", 40), (PASSERS, 2, 8)):
            everywhere(("spin-yield",), *command, settings={**BUSY, **more})
    for way in WAYS:
        run, what = race(way, "spin-yield", PASSERS, 4, 8, settings={"RELOCK_RECORD": "off"})
        same(len(run.recordings()), 0, f"{what}: recordings")


globals()[CASE]()
finish()
