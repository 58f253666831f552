"""Coming up and going down: allocators, constructors, late loading, small stacks."""

import glob
import re
import subprocess

from harness import *


@pitfall
def allocator_locks():
    """1, 2: the allocator takes a pthread mutex; the library comes before or after it."""
    allocator = FIXTURES / "liballocator.so"
    for place in ("before", "after"):
        for run in under_policies("allocate", **{place: (allocator,)}):
            run.must_end(0)
            report = run.must_match()
            if report:
                names = {lock["name"]: lock["acquired"] for lock in report["locks"]}
                # Eight threads, 4000 blocks each: every one is a malloc, all but the last few a free.
                check(names.get("allocator_mutex", 0) >= 60000, f"{run.what}: the allocator's own lock in the report: {names}")


@pitfall
def jemalloc():
    """2: an allocator with locks and thread caches of its own."""
    found = glob.glob("/usr/lib/*/libjemalloc.so.2")
    if not found:
        skip("libjemalloc2 is not installed")
    for place in ("before", "after"):
        for run in under_policies("allocate", **{place: (found[0],)}):
            run.must_end(0)
            run.must_match()


@pitfall
def constructors():
    """3, 4: locks of all kinds before our constructor and after our destructor."""
    early = FIXTURES / "libearly.so"
    for preloaded in ((), (early,)):
        native = Run(("uses_early",), after=preloaded)
        native.must_end(0)
        for run in under_policies("uses_early", after=preloaded):
            run.must_end(0)
            same(re.sub(rb"expect .*", b"", run.stdout), re.sub(rb"expect .*", b"", native.stdout), f"{run.what}: output")
    for run in under_policies("uses_early", native=False):
        # What the thread-exit destructors and exit handlers locked is recorded too.
        run.must_match()


@pitfall
def loaded_late():
    """6: dlopen of the library into a program that locks already."""
    for policy in (None, *POLICIES):
        environment = {"RELOCK_POLICY": policy} if policy else {}
        run = Run(("late", str(LIBRARY)), environment=environment)
        same(run.status, 0, f"late under {policy}: status")
        same(run.stdout, b"done\n", f"late under {policy}: output")
        check(len(run.stderr.splitlines()) <= 1, f"late under {policy}: at most one line of warning: {run.stderr}")


@pitfall
def small_stacks():
    """7: threads with PTHREAD_STACK_MIN, stacks of waiters on."""
    for run in under_policies("small_stacks", settings={"RELOCK_STACKS": "on", "RELOCK_HOLDS": "all"}):
        run.must_end(0)
        run.must_match()


@pitfall
def stack_use():
    """7: a hook uses less than 1 KiB of stack, and less than 4 KiB where it takes the stack of a waiter."""
    now = {"LD_BIND_NOW": "1"}  # no resolver on the stack
    native = Run(("stack_use",), environment=now)
    native.must_end(0)
    for stacks, room in (("off", 1024), ("on", 4096)):
        for policy in POLICIES:
            run = Run(("stack_use",), policy=policy, environment=now, settings={"RELOCK_STACKS": stacks, "RELOCK_HOLDS": "all"})
            run.must_end(0)
            for call in ("mutex-free", "mutex-contended", "rwlock-free", "rwlock-contended", "spin-free", "spin-contended"):
                used = max(int(words[1]) for words in run.lines(call))
                before = max(int(words[1]) for words in native.lines(call))
                check(used - before <= room, f"{run.what}, stacks {stacks}: {call} uses {used} bytes, without the library {before}")


@pitfall
def alternate_stacks():
    """7: handlers on the smallest alternate stacks wait for locks."""
    for run in under_policies("altstack", settings={"RELOCK_STACKS": "on", "RELOCK_HOLDS": "all"}):
        run.must_end(0)
        run.must_match()


@pitfall
def address_sanitizer():
    """8, 20: under ASan: objects freed right after the unlock, and its own interceptors in the way."""
    for run in under_policies("refcount_asan", settings={"RELOCK_HOLDS": "all"}):
        run.must_end(0)
        report = run.report()
        if check(report, f"{run.what}: no recording"):
            check(report["totals"]["acquired"] >= run.value("total"), f"{run.what}: acquisitions in all")
    # A shared runtime insists on being the first library; the command sees to that.
    if (FIXTURES / "refcount_asan_shared").exists():
        for policy in POLICIES:
            run = Run(("refcount_asan_shared",), via=(COMMAND, "run", "-q", "-p", policy, "-o", "here.%p.rlk", "--"))
            run.must_end(0)
            check(run.files(), f"{run.what} through the command: no recording")
    for run in under_policies("refcount"):
        run.must_end(0)
        report = run.report()
        if check(report, f"{run.what}: no recording"):
            same(report["totals"]["acquired"], run.value("total"), f"{run.what}: acquisitions in all")


@pitfall
def exports():
    """The library's dynamic symbols are hooks and relock_*; nothing of an unwinder, of inih, of ours."""
    hooks = re.compile(r"pthread_(mutex|spin|rwlock|cond)_(init|destroy|lock|trylock|timedlock|clocklock|unlock|rdlock|wrlock|"
                       r"tryrdlock|trywrlock|timedrdlock|timedwrlock|clockrdlock|clockwrlock|wait|timedwait|clockwait|signal|"
                       r"broadcast)|pthread_create|(mtx|cnd)_\w+|thrd_(create|yield|sleep)|sched_yield|"
                       r"nanosleep|clock_nanosleep|usleep|(set|p)rlimit(64)?|mlockall|prctl|relock_\w+")
    listed = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    names = [line.split()[-1] for line in listed.splitlines()]
    check(len(names) > 40, f"the library exports its hooks: {names}")
    same([name for name in names if not hooks.fullmatch(name)], [], "other exports")
    families = {"mutex": 7, "spin": 5, "rwlock": 11, "cond": 7}
    for family, count in families.items():
        have = [name for name in names if name.startswith(f"pthread_{family}_")]
        same(len(have), count, f"hooks of the {family} family, {have}")
    same(len([name for name in names if name.startswith(("mtx_", "cnd_"))]), 12, "C11 hooks")
    needed = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
    check("libunwind" not in needed, "libunwind is not among the libraries it needs")
