#!/usr/bin/env python3
"""Without a recording, asked for or not, a program runs as ever, under its policy, and at most one line says why."""

import os

from harness import *

ARGUMENTS = ("exclusion", "mutex", "4", "2000")


def check_run(what, lines, directory, **options):
    """lines: how many lines on stderr are right."""
    run = fixture(*ARGUMENTS, policy="spin-yield", **options)
    if NATIVE:
        return
    said = [l for l in run.stderr.splitlines() if l]
    same(len(said), lines, f"{what}: lines on stderr {said}")
    check(all("relock" in l for l in said), f"{what}: a line that does not say who speaks: {said}")
    same(len(run.locks), 1, f"{what}: the program's output")
    same(run.lock("main").acquired, 8000, f"{what}: the program's result")
    same(os.listdir(directory or run.directory), [], f"{what}: files left behind")


def limited(command_limit, value):
    """A wrapper command that sets a resource limit for the program only."""
    return ("/bin/bash", "-c", f'ulimit {command_limit} {value} && exec "$@"', "limited")


empty = new_directory()
check_run("recording switched off", 0, None, extra={"RELOCK_RECORD": "off"})
check_run("directory missing", 1, empty, extra={"RELOCK_OUTPUT": os.path.join(empty, "missing", "%e.rlk")})
check_run("a file in the place of the directory", 1, None, extra={"RELOCK_OUTPUT": "/etc/hostname/%e.rlk"})
check_run("no such thing as a file there", 1, None, extra={"RELOCK_OUTPUT": "/proc/%e.rlk"})
if os.geteuid() != 0:
    os.chmod(empty, 0o555)
    check_run("directory not writable", 1, None, extra={"RELOCK_OUTPUT": os.path.join(empty, "%e.rlk")})
# A file may be no longer than 8 KiB: without care that is SIGXFSZ, or SIGBUS at the first count.
run = fixture(*ARGUMENTS, wrap=limited("-f", 8))
same(run.lock("main").acquired, 8000, "limited file size: the program's result")
# Nor may address space be short: then there is less recording, or none, but the program runs.
run = fixture(*ARGUMENTS, wrap=limited("-v", 400000))
same(run.lock("main").acquired, 8000, "limited address space: the program's result")
finish()
