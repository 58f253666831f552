"""What the pitfall tests share: run a fixture under the library, read its recordings through `relock report`.

Use:
    @pitfall
    def broadcast():
        for run in under_policies("broadcast"):
            run.must_end(0)
            run.must_match()          # every lock the fixture printed: the recording has that sum, exactly

A fixture is a plain program that prints `expect PID NAME ADDRESS ACQUISITIONS`. The tests themselves are never preloaded.
"""

import atexit
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ.get("RELOCK_BUILD_DIR", "."))
LIBRARY = BUILD / "preload" / "librelock.so"
COMMAND = BUILD / "cli" / "relock"
FIXTURES = BUILD / "tests" / "pitfalls"
RUN_SECONDS = 100

# glibc's way, and three that differ in nature: yielding, blocking after a while, sleeping.
POLICIES = ("native", "spin-yield", "spin-park", "backoff")

pitfalls = {}
failures = []


def pitfall(function):
    """Registers a test under its function's name."""
    pitfalls[function.__name__.replace("_", "-")] = function
    return function


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def check(holds, message):
    """Notes a failure and goes on, so that one run shows all that is wrong."""
    if not holds:
        failures.append(message)
        print(f"FAILED: {message}")
    return bool(holds)


def same(actual, expected, message):
    return check(actual == expected, f"{message}: expected {expected!r}, got {actual!r}")


def clean_environment():
    return {name: value for name, value in os.environ.items()
            if name != "LD_PRELOAD" and not name.startswith("RELOCK_")}


def new_directory():
    path = tempfile.mkdtemp(prefix="relock-pitfall-")
    os.chmod(path, 0o755)
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return pathlib.Path(path)


def execute(command, environment, directory, **more):
    """Runs a command in a session of its own, which is ended whole. Returns (status or "hangs", stdout, stderr)."""
    out, err = directory / "stdout", directory / "stderr"
    with open(out, "wb") as out_file, open(err, "wb") as err_file:
        process = subprocess.Popen([str(word) for word in command], env=environment, cwd=directory,
                                   stdin=subprocess.DEVNULL, stdout=out_file, stderr=err_file,
                                   start_new_session=True, **more)
        try:
            status = process.wait(timeout=RUN_SECONDS)
        except subprocess.TimeoutExpired:
            status = "hangs"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
    return status, out.read_bytes(), err.read_bytes()


class Run:
    """One run of a fixture: how it ended, what it printed, what was recorded."""

    def __init__(self, words, policy=None, settings=None, before=(), after=(), via=(), environment=None, output=None, **more):
        self.what = " ".join(words) + (f" under {policy}" if policy else "")
        self.directory = new_directory()
        env = {**clean_environment(), **(environment or {})}
        if policy:
            env["LD_PRELOAD"] = ":".join(str(part) for part in (*before, LIBRARY, *after))
            env["RELOCK_POLICY"] = policy
            env["RELOCK_OUTPUT"] = output or f"{self.directory}/%e.%p.rlk"
            env.update(settings or {})
        elif before or after:
            env["LD_PRELOAD"] = ":".join(str(part) for part in (*before, *after))
        command = [*via, FIXTURES / words[0], *words[1:]]
        self.status, self.stdout, self.stderr = execute(command, env, self.directory, **more)

    def must_end(self, status, quiet=True):
        """A status as from Popen: negative for a signal."""
        good = same(self.status, status, f"{self.what}: status")
        if quiet or not good:
            good &= same(self.stderr, b"", f"{self.what}: stderr")
        return good

    def lines(self, word):
        return [line.split() for line in self.stdout.decode(errors="replace").splitlines()
                if line.startswith(word + " ")]

    def value(self, word):
        found = self.lines(word)
        return int(found[0][1]) if found else None

    def files(self):
        return sorted(self.directory.rglob("*.rlk"))

    def report(self, *files, rows=None):
        """Everything recorded, merged; or what is in these files. `rows`: so many locks only, for those who need the totals."""
        files = files or self.files()
        if not files:
            return None
        done = subprocess.run([COMMAND, "report", "--format", "json", *(("-n", str(rows)) if rows else ()), *files], env=clean_environment(),
                              capture_output=True, check=False)
        if done.returncode != 0:
            check(False, f"{self.what}: the recording cannot be read: {done.stderr.decode(errors='replace')}")
            return None
        return json.loads(done.stdout)

    def screen(self, *arguments):
        """The report as people see it."""
        done = subprocess.run([COMMAND, "report", *arguments, *self.files()], env=clean_environment(), capture_output=True, check=False)
        check(done.returncode == 0, f"{self.what}: the recording cannot be read: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="replace")

    def must_sum(self):
        """All acquisitions together are as many as the fixture says, however they are told apart."""
        report = self.report(rows=1)
        if check(report, f"{self.what}: no recording"):
            same(report["totals"]["acquired"], self.value("total"), f"{self.what}: acquisitions in all")

    def must_match(self, complete=True):
        """Every lock the program counted has that many acquisitions in the recording of its process.

        Recordings are read one by one: merged, a static lock is one lock for all processes.
        """
        wanted = self.lines("expect")
        pids = {words[1] for words in wanted}
        # Not every short child's, where the names tell them apart.
        files = [path for path in self.files() if pids & set(path.name.split("."))]
        reports = [report for report in map(self.report, files) if report]
        if not check(reports, f"{self.what}: no recording") or not check(wanted, f"{self.what}: the fixture printed nothing"):
            return None
        for _, pid, name, address, count in wanted:
            have = sum(lock["acquired"] for report in reports if report["recordings"][0]["pid"] == int(pid)
                       for lock in report["locks"] if int(lock["address"] or "0", 16) == int(address, 16))
            same(have, int(count), f"{self.what}: acquisitions of {name} in process {pid}")
        for report in reports if complete else ():
            lost = {key: value for key, value in report["recordings"][0]["lost"].items() if value and key != "conds_delegated"}
            same(lost, {}, f"{self.what}: losses")
        return reports[0] if len(self.files()) == 1 else self.report()


def under_policies(*words, policies=POLICIES, native=True, quiet=True, **more):
    """First without the library, where the fixture has to hold by itself, then under each policy."""
    if native:
        run = Run(words, **{key: value for key, value in more.items() if key not in ("settings", "output")})
        if run.status == 77:
            skip(f"{run.what}: not permitted here")
        run.must_end(0, quiet)
    for policy in policies:
        yield Run(words, policy=policy, **more)


def main():
    name = sys.argv[1]
    pitfalls[name]()
    print(f"{len(failures)} checks failed" if failures else "all checks passed")
    sys.exit(1 if failures else 0)
