"""Meaning the same, where a transcript does not show it; the conformance matrix does the rest."""

from harness import *


@pitfall
def reborn():
    """19: mutexes on stacks, initialised anew, of another kind at the same address."""
    for run in under_policies("reborn", settings={"RELOCK_HOLDS": "all"}):
        run.must_end(0)
        report = run.must_match()
        if report:
            same(report["totals"]["acquired"], run.value("total"), f"{run.what}: acquisitions in all")


@pitfall
def foreign_unlock():
    """21: locked here, unlocked there; and unlocked while free."""
    for run in under_policies("foreign", settings={"RELOCK_HOLDS": "all"}):
        run.must_end(0)
        report = run.must_match(complete=False)
        if report:
            check(report["recordings"][0]["lost"]["foreign_unlocks"] > 0, f"{run.what}: unlocks by others are counted")


@pitfall
def held_twice():
    """15: a recursive mutex is held until its last unlock, however often it is locked in between."""
    for run in under_policies("held_twice", settings={"RELOCK_HOLDS": "all"}):
        run.must_end(0)
        report = run.must_match()
        for lock in report["locks"] if report else ():
            for _, address, held_ns in run.lines("held"):
                if int(lock["address"], 16) == int(address, 16):
                    same(lock["holds"], 1, f"{run.what}: holds of {lock['name']}")
                    check(lock["hold_total_ns"] >= int(held_ns) * 0.98, f"{run.what}: {lock['name']} was held {held_ns} ns and more, "
                                                                       f"recorded are {lock['hold_total_ns']}")


@pitfall
def realtime_spinlock():
    """25: SCHED_FIFO, two priorities, one CPU, a spinlock. glibc's own hangs, and so does the native policy."""
    for policy in ("spin", "spin-sleep", "spin-yield", "spin-yield-sleep", "spin-park", "backoff", "progress"):
        run = Run(("fifo_spin",), policy=policy)
        if run.status == 77:
            skip("real-time scheduling is not permitted here")
        run.must_end(0)
        run.must_match()


@pitfall
def one_cpu():
    """26: with one CPU nobody spins while the owner sleeps. (Policies that only yield do burn what is left over.)"""
    cpu = min(os.sched_getaffinity(0))
    for policy in ("native", "spin", "spin-park", "spin-sleep", "progress"):
        run = Run(("one_cpu",), policy=policy, preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        run.must_end(0)
        check(run.value("percent") < 50, f"{run.what}: the waiter used {run.value('percent')} % of the time it waited")
