"""Whether a recording adds up: by itself, as the report reads it, and against what the program counted."""

import json
import os
import subprocess

from harness import COMMAND, ENDINGS, EXITED, Recording

READ_LIMIT_S = 120


class Checked:
    """One recording, with all that is wrong with it."""

    def __init__(self, path, killed):
        self.wrong = []
        self.rec = None
        try:
            self.rec = Recording(path)
        except (RuntimeError, ValueError, subprocess.TimeoutExpired) as problem:
            self.wrong.append(f"cannot be read: {problem}")
            return
        # A thread may be killed anywhere in what it notes of one acquisition.
        self.slack = len(self.rec.shards) + 1 if killed or self.rec.header["end"] != EXITED else 0
        self.acquired = sum(e[4] for e in self.rec.entries)
        self._by_itself()
        self._as_reported(path)

    def same(self, actual, expected, what, slack=0):
        if abs(actual - expected) > slack:
            self.wrong.append(f"{what}: {actual} instead of {expected}" + (f" (±{slack})" if slack else ""))

    def _sum(self, name):
        return sum(cell[name] for cell in self.rec.cells)

    def _by_itself(self):
        rec, contended = self.rec, self._sum("contended")
        known = {i + 1 for i in rec.records}
        stray = [e for e in rec.entries if (e[4] or e[5]) and e[1] not in known]
        self.same(len(stray), 0, "entries with counts of no lock")
        if contended > self.acquired + self.slack:
            self.wrong.append(f"{contended} acquisitions waited, of {self.acquired}")
        if self._sum("timeouts") == 0:
            self.same(sum(map(self._sum, ENDINGS)), contended, "waits by how they ended", self.slack)
            self.same(self._sum("wait_hist"), contended, "waits by length", self.slack)
        self.same(self._sum("hold_hist"), self._sum("holds"), "holds by length", self.slack)
        if self._sum("holds") > self.acquired + self.slack:
            self.wrong.append(f"{self._sum('holds')} holds of {self.acquired} acquisitions")
        if not self.slack:
            self.same(sum(r["waiters"] for r in rec.records.values()), 0, "waiters at the end")
        if rec.lost["pairs_dropped"] == 0:
            self.same(sum(p["count"] for p in rec.pairs), contended + self._sum("timeouts") + rec.lost["waits_dropped"], "waits in pairs, against those in cells and those lost", self.slack)

    def _as_reported(self, path):
        done = subprocess.run([COMMAND, "report", "--format", "json", path], capture_output=True, text=True, check=False,
                              timeout=READ_LIMIT_S)
        if done.returncode != 0:
            self.wrong.append(f"relock report ends with {done.returncode}: {done.stderr.strip()}")
            return
        report = json.loads(done.stdout)
        self.same(report["totals"]["acquired"], self.acquired, "acquisitions in the report")
        self.same(report["totals"]["contended"], self._sum("contended"), "waits in the report")
        for table in ("locks", "classes"):
            self.same(sum(row["acquired"] for row in report[table]), report["totals"]["acquired"], f"acquisitions over {table}")
        # Of one that was killed the thread figures may be short of what moved meanwhile.
        self.wrong += [f"the report warns: {warning}" for warning in report["warnings"] if not self.slack and "names" not in warning]

    def against_locks(self, locks):
        """Each lock the program counted, where it was kept apart from the others."""
        lost, rec = self.rec.lost, self.rec
        if lost["locks_folded"] or lost["entries_folded"] or lost["threads_unrecorded"] or rec.header["deflation"]["folded"]:
            return
        for lock in locks:
            self.same(rec.acquired(lock), lock.acquired, f"acquisitions of {lock}")
            self.same(rec.failed(lock), lock.failed, f"failed tries of {lock}")


def check_all(program, run, outcome, killed, settings):
    """The problems found, and the recordings and acquisitions that were looked at."""
    names = sorted(name for name in os.listdir(run.directory) if name.endswith(".rlk"))
    if killed:
        # In the moment in which it was created.
        names = [name for name in names if os.path.getsize(os.path.join(run.directory, name)) > 0]
    checked = {name: Checked(os.path.join(run.directory, name), killed) for name in names}
    wrong = [f"{name}: {problem}" for name, c in checked.items() for problem in c.wrong]
    whole = [c for c in checked.values() if c.rec]
    if killed:
        published = program.published(run.directory)
        # A program is not published before it has started threads, and then it is recorded.
        if published and whole:
            main = max(whole, key=lambda c: c.acquired)
            if not published <= main.acquired <= published + program.threads:
                wrong.append(f"recorded {main.acquired} acquisitions, {published} were published by {program.threads} threads")
        elif published:
            wrong.append(f"no recording, but {published} acquisitions were published")
    elif outcome.status == 0:
        wrong += against_program(program, run, whole, settings)
    return wrong, len(whole), sum(c.acquired for c in whole)


def against_program(program, run, whole, settings):
    expected, wrong = program.expected(run), []
    by_pid = {c.rec.pid: c for c in whole}
    if None in expected and len(whole) == 1:
        expected = {whole[0].rec.pid: expected[None]}
    for pid, count in expected.items():
        checked = by_pid.get(pid)
        if checked is None:
            if not settings.get("may lack"):
                wrong.append(f"process {pid or ''} left no recording")
            continue
        if checked.acquired != count:
            wrong.append(f"process {pid}: {checked.acquired} acquisitions instead of {count}")
        if len(expected) == 1:
            checked.wrong.clear()
            checked.against_locks([lock for lock in run.locks if lock.name != "reused"])
            wrong += checked.wrong
    return wrong
