"""Signal handlers that come in the middle of the library's own work, and what threads do when they are about to be gone."""

from harness import *

# What the fixture "stepped" can interrupt the taking of.
STEPPED = ("mutex", "recursive", "spin", "reader", "writer", "condition")


@pitfall
def handler_compacts():
    """A handler uses so many locks that the rows of its thread are compacted, twice, while the thread waits for a lock."""
    # As many records as there may be: then what is waited for is counted with its class.
    settings = {"RELOCK_MAX_LOCKS": "3000", "RELOCK_DEFLATE_INTERVAL": "3600s"}
    for run in under_policies("interrupted", "compacts", settings=settings):
        run.must_end(0)
        run.must_sum()


@pitfall
def handler_forks():
    """A handler forks while its thread waits; the child returns into that wait."""
    for run in under_policies("interrupted", "forks"):
        run.must_end(0)


@pitfall
def handler_in_hold():
    """A handler locks while a hold begins or ends: every hold is timed, once, and for the lock that was held."""
    for run in under_policies("interrupted", "holds", policies=("native",), settings={"RELOCK_HOLDS": "all"}):
        run.must_end(0)
        report = run.must_match()
        for lock in report["locks"] if report else ():
            same(lock["holds"], lock["acquired"], f"{run.what}: holds of {lock['name']}")


@pitfall
def handler_at_each_step():
    """A handler takes a lock after each single instruction of a hold's begin and end, waits for it, and leaves it taken: no wait and no
    hold is lost, or another's."""
    if not (FIXTURES / "stepped").exists():
        skip("steps an x86-64 processor")
    steps = [("stepped", how, "mutex") for how in ("goes", "waits", "stays", "waits-and-stays")]
    steps += [("stepped", how, lock) for lock in STEPPED[1:] for how in ("goes", "stays")]
    for words in steps:
        for run in under_policies(*words, policies=("native",), settings={"RELOCK_HOLDS": "all"}):
            run.must_end(0)
            report = run.must_match()
            for lock in report["locks"] if report else ():
                name = lock["name"]
                same(lock["holds"], lock["acquired"], f"{run.what}: holds of {name}")
                same(lock["contended"], run.value("waits") if name == "handlers" else 0, f"{run.what}: waits for {name}")


@pitfall
def fork_at_each_step():
    """A handler forks after each single instruction of a hold's begin and end: the child finishes what was under way, also where it has
    begun an account of its own in the handler."""
    if not (FIXTURES / "stepped").exists():
        skip("steps an x86-64 processor")
    steps = [("stepped", "forks", lock) for lock in STEPPED + ("fresh",)]
    steps += [("stepped", "forks-and-locks", lock) for lock in ("mutex", "spin", "reader", "fresh")]
    for words in steps:
        for run in under_policies(*words, policies=("native",), settings={"RELOCK_HOLDS": "all", "RELOCK_STACKS": "off"}):
            run.must_end(0)
            same(run.lines("step"), [], f"{run.what}: children that did not end well")


@pitfall
def keeps_errno():
    """Locking changes errno never, whatever the library's own system calls come to; nor does all of the address space reserved for the
    recording become memory in a program that locks its memory."""
    for run in under_policies("interrupted", "errno"):
        run.must_end(0)


@pitfall
def late_destructors():
    """Threads that lock in the last round of their destructors are counted, and what was made for them is handed on."""
    for run in under_policies("interrupted", "destructors"):
        run.must_end(0)
        run.must_match()
        check(sum(path.stat().st_blocks for path in run.files()) * 512 < 1 << 20, f"{run.what}: size of the recording")
