"""Seeing every lock: symbol versions, clock variants, re-acquisitions, C11, kinds left to glibc."""

import platform

from harness import *


@pitfall
def old_versions():
    """9, 10: objects bound to pthread_create@GLIBC_2.2.5 and the first condition variables."""
    if platform.machine() != "x86_64":
        skip("these versions exist on x86-64 only")
    for run in under_policies("old_versions"):
        run.must_end(0)
        run.must_match()


@pitfall
def cpp_clocks():
    """11: wait_for and try_lock_for, which are clockwait and clocklock."""
    for run in under_policies("clocks"):
        run.must_end(0)
        run.must_match()


@pitfall
def broadcast():
    """12: one broadcast, eight waiters, eight re-acquisitions."""
    for run in under_policies("broadcast"):
        run.must_end(0)
        report = run.must_match()
        if report:
            waits = run.value("waits")
            same(report["totals"]["reacquired"], waits, f"{run.what}: re-acquisitions")
            same(report["totals"]["cond_waits"], waits, f"{run.what}: condition waits")


@pitfall
def c11():
    """13: mtx_* and cnd_*."""
    for run in under_policies("c11_seen"):
        run.must_end(0)
        run.must_match()


@pitfall
def delegated():
    """16, 17: robust and priority-inheriting mutexes stay glibc's, are counted, and are said to be delegated."""
    for run in under_policies("inherit", settings={"RELOCK_HOLDS": "all"}):
        run.must_end(0)
        report = run.must_match()
        if not report:
            continue
        flags = {flag for lock in report["locks"] for flag in lock["flags"]}
        check("delegated" in flags, f"{run.what}: flags of the locks: {flags}")
        same(report["totals"]["spun_total_ns"] > 0 and report["totals"]["pauses"], 0, f"{run.what}: pauses made")
        check(report["recordings"][0]["lost"]["conds_delegated"] > 0, f"{run.what}: condition waits left to glibc")
