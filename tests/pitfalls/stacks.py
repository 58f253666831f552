"""Stacks: the loader's lock, libraries that go and come, code without unwind data, exceptions."""

import platform

from harness import *

STACKS = {"RELOCK_STACKS": "on"}


@pitfall
def dlopen_loop():
    """34, 35: dlopen and dlclose against contention, constructors that take the contended lock."""
    plugins = [str(FIXTURES / name) for name in ("libplugin_a.so", "libplugin_b.so")]
    for run in under_policies("dlopen_loop", *plugins, settings=STACKS):
        run.must_end(0)
        report = run.must_match()
        if report:
            same(report["totals"]["acquired"], run.value("total"), f"{run.what}: acquisitions, the libraries' own locks included")


@pitfall
def dlclose_holder():
    """34: the library in which the lock was taken is closed while a waiter looks at where it was taken."""
    for run in under_policies("dlclose_holder", str(FIXTURES / "libholder.so"), settings=STACKS):
        run.must_end(0)
        run.must_match()
        same(run.value("looked"), 1, f"{run.what}: the waiter was looking when the library went")


@pitfall
def generated_code():
    """38: the caller has neither module nor unwind data."""
    if platform.machine() != "x86_64":
        skip("the machine code is x86-64")
    for run in under_policies("generated", settings=STACKS):
        run.must_end(0)
        run.must_match()


@pitfall
def unwinding():
    """39: throw, cancel and pthread_exit under contention, with stacks of many frames."""
    for run in under_policies("throwing", settings=STACKS):
        run.must_end(0)
        run.must_match()


@pitfall
def coroutines():
    """Stacks that are not the thread's, and are gone a moment later."""
    for run in under_policies("coroutines", settings=STACKS):
        run.must_end(0)
        run.must_match()
