"""One program run once, natively or under the library: where it works, how it is started, what it left.

A program is a function that takes a Session, runs what it is about and notes facts: everything that must be the
same with and without the library. Timings, addresses and pids are no facts.

    @program("pigz", needs=["pigz"], equal="compressed and decompressed bytes")
    def pigz(s):
        packed = s.run("pigz", "-c", s.input)
        s.fact("compressed", digest(packed.stdout))
"""

import contextlib
import hashlib
import os
import random
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = []
INPUT_BYTES = 4 << 20


class Failed(Exception):
    """The program did not get as far as a result: it hung, or would not start."""


class Program:
    def __init__(self, name, run, needs, equal, quick, limit_s):
        self.name, self.run, self.needs = name, run, needs
        self.equal, self.quick, self.limit_s = equal, quick, limit_s

    def missing(self):
        return [n for n in self.needs if not shutil.which(n)]


def program(name, needs, equal, quick=True, limit_s=90):
    """Declares a program. equal: what is compared, in words; limit_s: for one run of it."""

    def declare(function):
        PROGRAMS.append(Program(name, function, needs, equal, quick, limit_s))
        return function

    return declare


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def write_input(path):
    """Text that compresses as text does, the same every time."""
    rng = random.Random(2024)
    words = [bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(3000)]
    text = b" ".join(rng.choices(words, k=INPUT_BYTES // 5))
    with open(path, "wb") as f:
        f.write(text[:INPUT_BYTES])


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Session:
    """variant: None for native, "run" for `relock run` with its defaults, else a policy's name."""

    def __init__(self, build, variant, directory, input_file, limit_s):
        self.variant, self.directory, self.input = variant, directory, input_file
        self.facts, self.deadline = [], time.monotonic() + limit_s
        self.complaint = ""  # the end of what the last program that failed said
        self.recordings = os.path.join(directory, "recordings")
        self.library = os.path.join(build, "preload", "librelock.so")
        self.command = os.path.join(build, "cli", "relock")
        self.native_env = {k: v for k, v in os.environ.items() if not k.startswith("RELOCK_") and k != "LD_PRELOAD"}
        os.makedirs(self.recordings)

    def fact(self, name, value):
        self.facts.append((name, value))

    def path(self, name):
        return os.path.join(self.directory, name)

    def _left(self):
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Failed("out of time")
        return left

    def _prepared(self, command, through_command=True):
        """The command line and environment of a program under this session's variant."""
        command = [str(c) for c in command]
        output = os.path.join(self.recordings, "%e.%p.rlk")
        if self.variant is None:
            return command, self.native_env
        if self.variant == "run" and through_command:
            return [self.command, "run", "-q", "-o", output, "--"] + command, self.native_env
        env = dict(self.native_env, LD_PRELOAD=self.library, RELOCK_OUTPUT=output)
        if self.variant != "run":
            env["RELOCK_POLICY"] = self.variant
        return command, env

    def run(self, *command, stdin=None, env=None):
        """Runs the program that is looked at, to its end. Its exit status is a fact."""
        line, environment = self._prepared(command)
        done = self._finish(line, dict(environment, **(env or {})), stdin)
        self.fact(f"exit status of {os.path.basename(command[0])}", done.returncode)
        if done.returncode != 0:
            self.complaint = (done.stderr or done.stdout).decode(errors="replace").strip()[-500:]
        return done

    def helper(self, *command, stdin=None):
        """Runs something beside it, never under the library."""
        return self._finish([str(c) for c in command], self.native_env, stdin)

    def _finish(self, line, env, stdin):
        try:
            return subprocess.run(line, env=env, input=stdin or b"", capture_output=True, timeout=self._left(), cwd=self.directory)
        except subprocess.TimeoutExpired as late:
            raise Failed(f"{os.path.basename(line[0])} did not end in time") from late

    @contextlib.contextmanager
    def server(self, *command, port, stop=signal.SIGTERM):
        """A server under the library, from when its port answers until it has ended; its exit status is a fact."""
        line, env = self._prepared(command, through_command=False)
        with open(self.path("server.log"), "wb") as log:
            process = subprocess.Popen(line, env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.directory)
        try:
            self._await_port(process, port)
            yield process
            process.send_signal(stop)
            try:
                self.fact("exit status of the server", process.wait(min(20, self._left())))
            except subprocess.TimeoutExpired as late:
                raise Failed("the server did not end when asked to") from late
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    def _await_port(self, process, port):
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                return
            if process.poll() is not None:
                with open(self.path("server.log"), "rb") as log:
                    raise Failed(f"the server ended: {log.read()[-300:].decode(errors='replace')}")
            self._left()
            time.sleep(0.01)
