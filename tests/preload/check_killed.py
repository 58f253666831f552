#!/usr/bin/env python3
"""A program killed by SIGKILL leaves a recording with all acquisitions up to then, but for the one each thread is in."""

import os
import signal
import subprocess
import time

from harness import *

THREADS, ENOUGH, LIMIT_S = 4, 20000, 30


def run_and_kill(policy):
    """Kills the program once every thread has done something and all have done enough; None if that never comes."""
    directory = new_directory()
    path = os.path.join(directory, "progress")
    victim = subprocess.Popen([os.path.join(FIXTURES, "victim"), path, str(THREADS)], env=environment(policy, "all", directory))
    give_up = time.monotonic() + LIMIT_S
    ready = False
    while not ready and time.monotonic() < give_up and victim.poll() is None:
        rows = progress(path, 3)
        ready = len(rows) == THREADS and min(r[1] for r in rows) > 0 and sum(r[1] for r in rows) >= ENOUGH
        time.sleep(0.002)
    victim.send_signal(signal.SIGKILL)
    status = victim.wait()
    check(ready, f"{policy}: the program did not get going within {LIMIT_S} s: {progress(path, 3)}")
    same(status, -signal.SIGKILL, f"{policy}: how it ended")
    return directory, progress(path, 3)


def thread_acquired(rec):
    """{tid: acquisitions} of threads that had a shard to themselves."""
    shards = rec.by_shard()
    return {t["tid"]: shards.get(t["shard"], 0) - t["before_acquired"] for t in rec.threads}


for policy in policies():
    directory, rows = run_and_kill(policy)
    if NATIVE:
        continue
    rec = Run(0, "", "", directory).recording()
    lock = Lock("mutex", rows[0][2], "mutex", sum(r[1] for r in rows), 0)
    got = rec.acquired(lock)
    check(lock.acquired <= got <= lock.acquired + THREADS, f"{policy}: recorded {got}, the program published {lock.acquired} with {THREADS} threads")
    of_thread = thread_acquired(rec)
    for tid, pairs, _ in rows:
        check(pairs <= of_thread.get(tid, -1) <= pairs + 1, f"{policy}: thread {tid} published {pairs}, recorded {of_thread.get(tid)}")
    same(rec.header["end"], RUNNING, f"{policy}: end of the recording")
    text = report_text(rec.path)
    if text is not None:
        check("mutex" in text, f"{policy}: the report does not show the lock:\n{text}")
    print(f"{policy}: published {lock.acquired}, recorded {got}")
finish()
