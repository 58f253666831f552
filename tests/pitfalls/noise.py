"""Size and noise: many locks, untouched streams and descriptors, programs that confine themselves, a full disk."""

import resource

from harness import *
from mounts import adds_up, must_mount, on_disk


@pitfall
def many_locks():
    """40: more locks than any fixed table; the sum is exact whatever was folded."""
    for settings in ({}, {"RELOCK_MAX_LOCKS": "1000"}, {"RELOCK_MAX_MEMORY": "8MiB"}):
        for run in under_policies("many_locks", policies=("spin-park",), native=not settings, settings=settings):
            run.what += f" {settings}"
            run.must_end(0)
            run.must_sum()


@pitfall
def streams():
    """42, 24: both streams byte for byte, and errno."""
    native = Run(("output",))
    for run in under_policies("output", quiet=False, settings={"RELOCK_STACKS": "on", "RELOCK_HOLDS": "all"}):
        same(run.status, 0, f"{run.what}: status")
        same(run.stdout, native.stdout, f"{run.what}: stdout")
        same(run.stderr, native.stderr, f"{run.what}: stderr")


@pitfall
def descriptors():
    """A program that closes all descriptors and uses the numbers again; none is kept open."""
    native = Run(("closes",))
    for run in under_policies("closes"):
        run.must_end(0)
        same(run.lines("descriptors"), native.lines("descriptors"), f"{run.what}: open descriptors")
        # What it locks after it has printed counts as well.
        run.must_match()


def runs_on(run, recorded):
    """The program does what it does. Without a recording the library says so, in one line."""
    same(run.status, 0, f"{run.what}: status")
    same(run.stdout, b"done\n", f"{run.what}: output")
    lines = run.stderr.decode(errors="replace").splitlines()
    if recorded:
        same(lines, [], f"{run.what}: stderr")
    check(len(lines) == 1 or (not lines and run.report()), f"{run.what}: stderr {lines}, recordings {run.files()}")


@pitfall
def confined():
    """A program that limits its own files and descriptors, filters its system calls, gives up its privileges."""
    for how in ("free", "file-size", "no-files", "filter", "privileges"):
        for run in under_policies("confined", how):
            runs_on(run, how == "free")


@pitfall
def limited():
    """A program that was started under limits of address space, file size, descriptors, locked memory."""
    limits = {"512 MiB address space": (resource.RLIMIT_AS, 512 << 20), "128 MiB address space": (resource.RLIMIT_AS, 128 << 20),
              "no file": (resource.RLIMIT_FSIZE, 4096), "few descriptors": (resource.RLIMIT_NOFILE, 4),
              "no locked memory": (resource.RLIMIT_MEMLOCK, 0), "data of 64 MiB": (resource.RLIMIT_DATA, 64 << 20)}
    for what, (limit, value) in limits.items():
        for run in under_policies("confined", "free", preexec_fn=lambda: resource.setrlimit(limit, (value, value))):
            run.what += f" with {what}"
            runs_on(run, False)


@pitfall
def full_disk():
    """The file system of the recording is full, from the start or soon: no SIGBUS, the program runs on, and what there is of a
    recording adds up."""
    must_mount()
    for size in ("4k", "64k", "256k", "1m", "4m"):
        for policy in POLICIES:
            disk = new_directory()
            status, out, err, recordings = on_disk(f"mount -t tmpfs -o size={size} none '{disk}'", disk, policy, f"'{FIXTURES / 'many_locks'}'",
                                                   "RELOCK_DEFLATE_INTERVAL=1ms RELOCK_DEFLATE_THRESHOLD=1")
            if status == 77:
                skip("mounting a tmpfs is not permitted here")
            what = f"disk of {size} under {policy}"
            same(status, 0, f"{what}: status")
            check(out.startswith(b"total"), f"{what}: output {out}")
            check(len(err.splitlines()) <= 1, f"{what}: at most one line on stderr: {err}")
            adds_up(what, recordings, err, int(out.split()[1]))
