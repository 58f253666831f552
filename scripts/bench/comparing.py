"""What the bench scripts around `relock compare` share: where it is, how its result is read, a load beside it."""

import contextlib
import glob
import json
import os
import subprocess
import sys
import tempfile

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUN_LIMIT_S = 1800


def die(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


def find_build():
    """The build tree named by RELOCK_BUILD_DIR, else the newest one here that is whole."""
    named = os.environ.get("RELOCK_BUILD_DIR")
    places = [named] if named else glob.glob(os.path.join(PROJECT, "build*")) + glob.glob(os.path.join(PROJECT, "build*", "*"))
    found = [p for p in places if all(os.path.exists(os.path.join(p, *f)) for f in (("cli", "relock"), ("tests", "cli", "answers")))]
    if not found:
        die("no build tree with the command and its tests here: run scripts/test --quick first, or set RELOCK_BUILD_DIR")
    return max(found, key=lambda p: os.path.getmtime(os.path.join(p, "cli", "relock")))


def compare(build, *arguments):
    """Runs a comparison and returns its JSON and its screen."""
    with tempfile.TemporaryDirectory(prefix="relock-compare-") as directory:
        path = os.path.join(directory, "result.json")
        command = [os.path.join(build, "cli", "relock"), "compare", "-o", path, *arguments]
        env = {k: v for k, v in os.environ.items() if not k.startswith("RELOCK_") and k != "LD_PRELOAD"}
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=RUN_LIMIT_S)
        if done.returncode != 0:
            die(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()}")
        with open(path) as file:
            return json.load(file), done.stdout


def cells(result):
    """(candidate, metric name, cell) of everything that was given a verdict."""
    for candidate in result["candidates"]:
        if candidate["control"] or candidate["name"] == result["reference"]:
            continue
        for cell in candidate["results"]:
            yield candidate["name"], cell["metric"], cell


def number(value):
    """A ratio; JSON has neither infinities nor what is not known."""
    return "-" if value is None else f"{value:.3f}"


@contextlib.contextmanager
def load(processes):
    """So many processes that do nothing but take CPU time, until the block ends; each ends by itself in any case."""
    spin = f"import time\nend = time.monotonic() + {RUN_LIMIT_S}\nwhile time.monotonic() < end: pass"
    started = [subprocess.Popen([sys.executable, "-c", spin], stdin=subprocess.DEVNULL) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()
