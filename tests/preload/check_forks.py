#!/usr/bin/env python3
"""A forked child has a recording of its own, which starts at zero; a program with one thread leaves none."""

from harness import *


def children_of(run):
    return {int(pid): int(count) for word, pid, count in (l.split() for l in run.stdout.splitlines() if l.startswith("child "))}


def check_forks(policy, kind):
    run, what = fixture("forks", 20, kind, policy=policy), f"{policy}, {kind} children"
    if NATIVE:
        return
    children, recordings = children_of(run), {r.pid: r for r in run.recordings()}
    parent = recordings.pop(run.values["pid"], None)
    if check(parent is not None, f"{what}: the parent left no recording"):
        check_lock(parent, run.lock("parents"), what)
    # A child that starts no thread and never waits does nothing worth a file.
    same(set(recordings), set(children) if kind == "busy" else set(), f"{what}: children with a recording")
    for pid, rec in recordings.items():
        same(sum(e[4] for e in rec.entries), children.get(pid), f"{what}: acquisitions in child {pid}")


for policy in policies():
    for kind in ("busy", "idle"):
        check_forks(policy, kind)
alone = fixture("alone", 1000)
same([r.path for r in alone.recordings()], [], "recordings of a program with one thread")
finish()
