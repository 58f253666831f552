"""Processes and threads: fork, vfork, clone, exec, every way to end, many threads, changed directories."""

import signal

from harness import *


@pitfall
def fork_loop():
    """27: forks against eight locking threads; children with threads of their own."""
    for run in under_policies("fork_loop"):
        run.must_end(0)
        run.must_match()


@pitfall
def fork_counts():
    """28: parent, child and grandchild have a recording each, and each starts at zero."""
    for run in under_policies("fork_counts"):
        run.must_end(0)
        report = run.must_match()
        if report:
            same(len(report["recordings"]), 3, f"{run.what}: recordings")
            same(report["totals"]["acquired"], 4 * (6000 + 300 + 20), f"{run.what}: acquisitions in all")


@pitfall
def fork_unwinding():
    """A fork while another thread is inside a lock of libunwind's: the child, where nobody will let that go, does not wait for it."""
    kept = FIXTURES / "libkept_inside.so"
    for how in ("fork", "clone"):
        for after in ((), (kept,)):
            for run in under_policies("forks_unwinding", how, native=not after, after=after):
                if after and run.status == 77:
                    skip("no libunwind here")
                run.must_end(0)
                run.must_match()


@pitfall
def fork_measuring():
    """A fork while another thread measures what recording costs: the child does not wait for the lock that is measured with."""
    for after in ((), (FIXTURES / "libkept_inside.so",)):
        for run in under_policies("forks_measuring", native=not after, after=after):
            run.must_end(0)
            run.must_match()


@pitfall
def vfork():
    """29: children that borrow the parent's memory leave it as it was."""
    for run in under_policies("vfork_loop"):
        run.must_end(0)
        run.must_match()


@pitfall
def raw_clone():
    """Children of the bare system call: no fork handler ran, and nothing of theirs is in the parent's counts."""
    for run in under_policies("raw_clone", settings={"RELOCK_HOLDS": "all"}):
        run.must_end(0)
        run.must_match()


@pitfall
def ends():
    """30, 31: whatever ends the process, the recording is whole and nothing runs that would not have."""
    ways = {"return": 4, "exit": 5, "_exit": 6, "_Exit": 7, "exit_group": 8, "quick_exit": 9, "exec": 11, "pthread_exit": 0,
            "abort": -signal.SIGABRT, "term": -signal.SIGTERM, "kill": -signal.SIGKILL, "segv": -signal.SIGSEGV}
    for way, status in ways.items():
        native = Run(("ends", way))
        native.must_end(status)
        handlers = native.stdout.split(b"\n")[1:]
        for policy in POLICIES:
            run = Run(("ends", way), policy=policy)
            run.must_end(status)
            same(run.stdout.split(b"\n")[1:], handlers, f"{run.what}: handlers that ran")
            run.must_match()


@pitfall
def exit_busy():
    """3, 30: the process ends while its threads are inside hooks of all kinds."""
    for repetition in range(5):
        for run in under_policies("exit_busy", native=repetition == 0):
            run.must_end(0)
            report = run.report()
            if check(report, f"{run.what}: no recording"):
                check(report["totals"]["acquired"] >= run.value("acquired"), f"{run.what}: acquisitions")


@pitfall
def crowd():
    """Many more waiters than CPUs."""
    for run in under_policies("crowd", policies=(*POLICIES, "spin-sleep", "progress")):
        run.must_end(0)
        run.must_match()


@pitfall
def many_threads():
    """32: twenty thousand short threads."""
    for run in under_policies("many_threads"):
        run.must_end(0)
        run.must_match()


@pitfall
def chdir():
    """33: a relative name of the recording, and a program that changes its directory."""
    for run in under_policies("chdir", output="here.%p.rlk"):
        run.must_end(0)
        same([path.parent for path in run.files()], [run.directory], f"{run.what}: where the recording is")
        run.must_match()


@pitfall
def exec_self():
    """One process that becomes three programs: nothing of an earlier one is overwritten."""
    for run in under_policies("exec_self"):
        run.must_end(0)
        report = run.report()
        if check(report, f"{run.what}: no recording"):
            wanted = sum(int(words[2]) for words in run.lines("program"))
            same(report["totals"]["acquired"], wanted, f"{run.what}: acquisitions of all three")
            same(len(report["recordings"]), 3, f"{run.what}: recordings")
