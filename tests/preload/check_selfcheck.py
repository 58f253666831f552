#!/usr/bin/env python3
"""The start-up self-check lets our own first try on where it passes, and its failing, forced, costs nothing but speed."""

from harness import *

PER_THREAD, THREADS = 2000, 4


def run_with(forced):
    extra = {"RELOCK_SELFCHECK": forced} if forced else {}
    run = fixture("exclusion", "mutex", THREADS, PER_THREAD, policy="spin-yield", extra=extra)
    rec = run.recording()
    lock = run.lock("main")
    same(lock.acquired, THREADS * PER_THREAD, f"{forced}: the program's result")
    same(rec.acquired(lock), lock.acquired, f"{forced}: acquisitions recorded")
    return rec.header, run.stderr


if NATIVE:
    finish()
header, said = run_with(None)
same((header["fast_mutexes"], header["fast_spin"], header["delegate_all"]), (4, 1, 0), "all kinds pass")
same(said, "", "nothing to say")
header, said = run_with("kinds")
same((header["fast_mutexes"], header["fast_spin"], header["delegate_all"]), (0, 0, 0), "no kind passes")
same(said, "", "nothing to say about the slower first try")
header, said = run_with("fields")
same(header["delegate_all"], 1, "fields not understood")
same(len(said.splitlines()), 1, "that is said, once")
finish()
