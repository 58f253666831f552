"""What happens to a program in a soak, and how it is run so that it does."""

import os
import resource
import shutil
import signal
import subprocess
import time

from harness import environment

RUN_LIMIT_S = 180
MOUNT = ["unshare", "--mount", "--propagation", "private"]


def can_mount():
    tried = subprocess.run([*MOUNT, "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True, check=False)
    return tried.returncode == 0


class Outcome:
    def __init__(self, status, stdout, stderr):
        self.status, self.stdout, self.stderr = status, stdout, stderr  # status: None when it did not end


class Fault:
    """None: the program runs to its end."""

    kills = False
    happened = False

    def __str__(self):
        return "no fault"

    def run(self, command, settings, directory):
        return self.watch(command, environment(directory=directory, extra=settings), directory)

    def while_running(self, process):
        """Called once it was started."""

    def watch(self, command, env, directory, preexec=None):
        """The program in a session of its own, of which nothing is left afterwards. Its output goes to pipes, on which a
        limit of files has no bearing."""
        process = subprocess.Popen(command, env=env, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True, preexec_fn=preexec)
        ended = True
        try:
            self.while_running(process)
            process.communicate(timeout=RUN_LIMIT_S)
        except subprocess.TimeoutExpired:
            ended = False
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            out, err = process.communicate()
        return Outcome(process.returncode if ended else None, out.decode(errors="replace"), err.decode(errors="replace"))


class Kill(Fault):
    kills = True

    def __init__(self, chance, number):
        self.number, self.after_s = number, chance.choice([0.02, 0.2, 1.0]) * chance.uniform(0.1, 1)

    def __str__(self):
        return f"{signal.Signals(self.number).name} after {self.after_s:.3f} s"

    def while_running(self, process):
        try:
            process.wait(timeout=self.after_s)
        except subprocess.TimeoutExpired:
            process.send_signal(self.number)
            self.happened = True


class FileSize(Fault):
    """The recording may not become longer than this."""

    happened = True

    def __init__(self, chance):
        self.limit = chance.choice([4096, 65536, 1 << 20, 2 << 20, 3 << 20, 8 << 20])

    def __str__(self):
        return f"files of at most {self.limit} bytes"

    def run(self, command, settings, directory):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (self.limit, self.limit))
        return self.watch(command, environment(directory=directory, extra=settings), directory, limit)


class FullDisk(Fault):
    """The recording is on a file system that is too small for it. It is copied from there when the program has ended."""

    happened = True

    def __init__(self, chance):
        self.size = chance.choice([4, 64, 256, 1024, 4096])

    def __str__(self):
        return f"a disk of {self.size} KiB"

    def run(self, command, settings, directory):
        disk = os.path.join(directory, "disk")
        os.mkdir(disk)
        settings = {**settings, "RELOCK_OUTPUT": os.path.join(disk, "%e.%p.rlk")}
        preload = environment(directory=directory, extra=settings)
        script = (f"mount -t tmpfs -o size={self.size}k none '{disk}' || exit 77\n"
                  'status=0; env "$@" || status=$?\n'
                  f"cp --sparse=always '{disk}'/*.rlk '{directory}' 2>/dev/null\n"
                  "exit $status")
        ours = {name: preload.pop(name) for name in list(preload) if name.startswith("RELOCK_") or name == "LD_PRELOAD"}
        words = [f"{name}={value}" for name, value in ours.items()]
        return self.watch([*MOUNT, "sh", "-c", script, "soak", *words, *command], preload, directory)


def pick(chance, mountable):
    kind = chance.random()
    if kind < 0.35:
        return Fault()
    if kind < 0.70:
        return Kill(chance, signal.SIGKILL)
    if kind < 0.80:
        return Kill(chance, signal.SIGTERM)
    if kind < 0.90 or not mountable:
        return FileSize(chance)
    return FullDisk(chance)


def remove(directory):
    shutil.rmtree(directory, ignore_errors=True)


def now():
    return time.monotonic()
