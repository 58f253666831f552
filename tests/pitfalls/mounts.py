"""Runs in a mount namespace of their own, and on disks that have little room."""

import json
import subprocess

from harness import *

MOUNT = ["unshare", "--mount", "--propagation", "private"]


def must_mount():
    tried = subprocess.run([*MOUNT, "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True, check=False)
    if tried.returncode != 0:
        skip("mounting is not permitted here")


def surrounded_by(script):
    """What to put before a command so that it runs in a mount namespace of its own, after this script, as its process."""
    return [*MOUNT, "sh", "-c", f"set -e\n{script}\nexec \"$@\"", "surrounded"]


def on_disk(mount, disk, policy, program, settings=""):
    """Runs a program (a shell's words) that records every hold on a disk of its own, at the directory `disk`, once these commands have
    mounted it. Returns (status, stdout, stderr, copies of the recordings); status 77: it cannot be mounted."""
    kept = new_directory()
    script = (f"{{ {mount}; }} || exit 77\n"
              f"LD_PRELOAD='{LIBRARY}' RELOCK_POLICY={policy} RELOCK_OUTPUT='{disk}/%p.rlk' RELOCK_HOLDS=all {settings} {program}; status=$?\n"
              f"cp --sparse=always '{disk}'/*.rlk '{kept}' 2>/dev/null\n"
              "exit $status")
    return *execute([*MOUNT, "sh", "-c", script], clean_environment(), new_directory()), list(kept.glob("*.rlk"))


def adds_up(what, files, err, total):
    """One recording or one line, and in the recording every acquisition."""
    if not check(len(files) == 1 - len(err.splitlines()), f"{what}: recordings {files}, stderr {err}") or not files:
        return
    read = subprocess.run([COMMAND, "report", "--format", "json", "-n", "1", files[0]], env=clean_environment(), capture_output=True, check=False)
    if check(read.returncode == 0, f"{what}: the recording cannot be read: {read.stderr}"):
        report = json.loads(read.stdout)
        same(report["totals"]["acquired"], total, f"{what}: acquisitions in all")
