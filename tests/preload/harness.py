"""What the checkers of this directory share: run a fixture under the library, read back its recordings.

Use:
    run = fixture("exclusion", "mutex", "2", "1000", policy="spin", holds="all")
    rec = run.recording()                 # the only one, or a failed check
    rec.acquired(run.locks[0])            # what the recorder counted for the lock the fixture printed
    check(condition, "what went wrong")   # collected; finish() exits 1 if any failed

With --native as an argument of a checker the fixtures run without the library and only their own invariants
are checked. The checkers themselves are never preloaded.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile

BUILD = os.environ.get("RELOCK_BUILD_DIR")
if not BUILD:
    sys.exit("RELOCK_BUILD_DIR must name the build tree")
LIBRARY = os.path.join(BUILD, "preload", "librelock.so")
FIXTURES = os.path.join(BUILD, "tests", "preload")
COMMAND = os.path.join(BUILD, "cli", "relock")
NATIVE = "--native" in sys.argv
if NATIVE:
    sys.argv.remove("--native")

KINDS = {"mutex": 0, "spin": 1, "rdlock": 2, "wrlock": 3}
RUNNING, EXITED = 0, 1
BORN_STATIC, BORN_INIT, BORN_FIRST_USE = 1, 2, 3
DESTROYED = 1 << 5
IS_CLASS = 1 << 6
ENDINGS = ("ended_first", "ended_spin", "ended_yield", "ended_sleep", "ended_block")
RUN_LIMIT_S = 120

failures = []


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


def check(holds, message):
    """Notes a failed check and goes on, so that one run shows all that is wrong."""
    if not holds:
        failures.append(message)
        print("FAILED: " + message)
    return holds


def same(actual, expected, message):
    return check(actual == expected, f"{message}: expected {expected}, got {actual}")


def finish():
    print(f"{len(failures)} checks failed" if failures else "all checks passed")
    sys.exit(1 if failures else 0)


def policies():
    """Every policy of the registry, so that a new one is tested without a change here."""
    if NATIVE:
        return [None]
    out = subprocess.run([os.path.join(FIXTURES, "policynames")], capture_output=True, text=True, check=True)
    return out.stdout.split()


class Lock:
    """One side of one lock as the fixture counted it."""

    def __init__(self, name, address, kind, acquired, failed):
        self.name, self.kind = name, kind
        self.address, self.acquired, self.failed = int(address), int(acquired), int(failed)

    def __str__(self):
        return f"{self.kind} {self.name}"


class Recording:
    """The rows of one recording, by rlkdump, which knows the format and nothing of the report."""

    def __init__(self, path):
        out = subprocess.run([os.path.join(FIXTURES, "rlkdump"), path], capture_output=True, text=True, timeout=RUN_LIMIT_S)
        if out.returncode != 0:
            raise RuntimeError(f"{path}: {out.stderr.strip()}")
        rows = json.loads(out.stdout)
        self.path, self.header = path, rows["header"]
        self.pid, self.lost = self.header["pid"], self.header["lost"]
        self.records = {r["index"]: r for r in rows["records"]}
        self.classes = {c["index"]: c for c in rows["classes"]}
        self._add_lives()
        self.threads, self.shards = rows["threads"], rows["shards"]
        self.entries, self.cells = rows["entries"], rows["cells"]
        self._finish_moves()
        self.pairs, self.yield_sites = rows["pairs"], rows["yield_sites"]

    def _add_lives(self):
        """What records say of their classes on top of the classes' own counts (RLK_RECORD_CREATED)."""
        for r in self.records.values():
            c, ended = self.classes[r["class"]], r["generations"] - 1
            c["created"] = (c["created"] + ended) % (1 << 64)
            c["destroyed"] = (c["destroyed"] + ended + bool(r["flags"] & DESTROYED)) % (1 << 64)

    def _finish_moves(self):
        """Counts on their way from one entry to another when the program was killed (struct rlk_shard)."""
        by_offset = {e[6]: e for e in self.entries}
        for source, target, count in (s["move"] for s in self.shards if s["move"][0]):
            by_offset[source][4:6] = 0, 0
            by_offset[target][5 if by_offset[target][0] >> 61 & 1 else 4] = count

    def _records_of(self, address):
        return {i + 1 for i, r in self.records.items() if r["lock"] == address}

    def _entries(self, records, kind):
        return [e for e in self.entries if e[1] in records and e[2] == kind]

    def acquired(self, lock):
        return sum(e[4] for e in self._entries(self._records_of(lock.address), KINDS[lock.kind]))

    def failed(self, lock):
        return sum(e[5] for e in self._entries(self._records_of(lock.address), KINDS[lock.kind]))

    def counter(self, lock, name):
        records, kind = self._records_of(lock.address), KINDS[lock.kind]
        return sum(c[name] for c in self.cells if c["record"] in records and c["kind"] == kind)

    def class_of(self, lock):
        return [self.classes[self.records[i - 1]["class"]] for i in self._records_of(lock.address)]

    def class_acquired(self, indices):
        """Acquisitions of all locks of these classes, whether kept one by one or folded."""
        records = {i + 1 for i, r in self.records.items() if r["class"] in indices}
        return sum(e[4] for e in self.entries if e[1] in records)

    def pairs_of(self, lock):
        """{(waiter, holder): (count, ns)} of one side of a lock, summed over threads, by address."""
        records, kind, sums = self._records_of(lock.address), KINDS[lock.kind], {}
        for p in self.pairs:
            if p["record"] in records and p["kind"] == kind:
                count, ns = sums.get((p["waiter"], p["holder"]), (0, 0))
                sums[p["waiter"], p["holder"]] = (count + p["count"], ns + p["wait_total"])
        return sums

    def by_shard(self):
        """Acquisitions per shard index."""
        sums = {}
        for e in self.entries:
            sums[e[3] - 1] = sums.get(e[3] - 1, 0) + e[4]
        return sums

    def disk_bytes(self):
        return os.stat(self.path).st_blocks * 512


class Run:
    def __init__(self, status, stdout, stderr, directory):
        self.status, self.stdout, self.stderr, self.directory = status, stdout, stderr, directory
        self.locks, self.ranges, self.values = [], {}, {}
        for line in stdout.splitlines():
            word = line.split()
            if word[:1] == ["lock"]:
                self.locks.append(Lock(*word[1:6]))
            elif word[:1] == ["range"]:
                self.ranges[word[1]] = (int(word[2]), int(word[3]))
            elif word[:1] == ["value"]:
                self.values[word[1]] = int(word[2])

    def recordings(self):
        names = sorted(os.listdir(self.directory))
        return [Recording(os.path.join(self.directory, n)) for n in names if n.endswith(".rlk")]

    def recording(self):
        found = self.recordings()
        if not check(len(found) == 1, f"expected one recording, found {len(found)}; stderr: {self.stderr.strip()}"):
            finish()
        return found[0]

    def lock(self, name, kind=None):
        return next(l for l in self.locks if l.name == name and kind in (None, l.kind))

    def within(self, address, name):
        """Whether a return address lies in the function of that name (it may be one past its last byte)."""
        start, end = self.ranges[name]
        return start < address <= end


def progress(path, words):
    """What each thread of a fixture has published in FILE so far: rows of 64 bytes, of which the first `words` count."""
    try:
        with open(path, "rb") as f:
            data = f.read()
    except FileNotFoundError:
        return []
    return [struct.unpack_from(f"{words}Q", data, at) for at in range(0, len(data), 64)]


def environment(policy=None, holds=None, directory=None, extra=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith("RELOCK_") and k != "LD_PRELOAD"}
    if not NATIVE:
        env["LD_PRELOAD"] = LIBRARY
        if directory:
            env["RELOCK_OUTPUT"] = os.path.join(directory, "%e.%p.rlk")
        if policy:
            env["RELOCK_POLICY"] = policy
        if holds:
            env["RELOCK_HOLDS"] = holds
    env.update(extra or {})
    return env


_directories = []


def new_directory():
    _directories.append(tempfile.TemporaryDirectory(prefix="relock-test-"))
    return _directories[-1].name


def fixture(name, *arguments, policy=None, holds=None, extra=None, expect=0, limit=RUN_LIMIT_S, wrap=()):
    """Runs a fixture to its end. expect: its exit status; wrap: a command line to put before it."""
    directory = new_directory()
    env = environment(policy, holds, directory, extra)
    command = list(wrap) + [os.path.join(FIXTURES, name)] + [str(a) for a in arguments]
    what = " ".join([name, *map(str, arguments), f"under {policy or 'the default'}", f"holds={holds}" if holds else ""])
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=limit, cwd=directory)
    except subprocess.TimeoutExpired:
        check(False, f"{what}: did not end within {limit} s")
        finish()
    run = Run(done.returncode, done.stdout, done.stderr, directory)
    check(done.returncode == expect, f"{what}: exit status {done.returncode}; {done.stderr.strip()}")
    if expect == 0 and done.returncode != 0:
        finish()
    return run


def check_lock(rec, lock, what, timeouts=False):
    """The checks every recorded lock must pass, against the program's own counts. Returns what was recorded."""
    acquired, contended = rec.acquired(lock), rec.counter(lock, "contended")
    ended = sum(rec.counter(lock, name) for name in ENDINGS)
    waits = contended + rec.counter(lock, "timeouts")
    same(acquired, lock.acquired, f"{what}: acquisitions of {lock}")
    same(rec.failed(lock), lock.failed, f"{what}: failed tries of {lock}")
    check(contended <= acquired, f"{what}: {lock} contended {contended} > acquired {acquired}")
    if not timeouts:
        same(rec.counter(lock, "timeouts"), 0, f"{what}: timeouts of {lock}")
        same(ended, contended, f"{what}: {lock}: endings against contended acquisitions")
        same(rec.counter(lock, "wait_hist"), contended, f"{what}: {lock}: wait histogram against contended acquisitions")
    total = rec.counter(lock, "wait_total")
    check((total > 0) == (waits > 0), f"{what}: {lock}: {waits} waits took {total} ns in all")
    return acquired, contended


def report_json(path, *arguments):
    """The report as the command prints it, or None when there is no command in this build."""
    if not os.path.exists(COMMAND):
        return None
    out = subprocess.run([COMMAND, "report", "--format", "json", *arguments, path], capture_output=True, text=True, timeout=RUN_LIMIT_S)
    if not check(out.returncode == 0, f"relock report: exit status {out.returncode}: {out.stderr.strip()}"):
        return None
    return json.loads(out.stdout)


def report_text(path, *arguments):
    if not os.path.exists(COMMAND):
        return None
    out = subprocess.run([COMMAND, "report", *arguments, path], capture_output=True, text=True, timeout=RUN_LIMIT_S)
    check(out.returncode == 0, f"relock report: exit status {out.returncode}: {out.stderr.strip()}")
    return out.stdout
