"""What the tests of the command share: where it is, how it is called, a directory that goes away.

They are black-box tests: a test gives the command arguments and looks at what a user sees. Run one by hand with
RELOCK_BUILD_DIR and RELOCK_SOURCE_DIR set, as in: tests/cli/test_run.py Streams.test_stdin
"""

import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

BUILD = os.environ["RELOCK_BUILD_DIR"]
SOURCE = os.environ["RELOCK_SOURCE_DIR"]
COMMAND = os.path.join(BUILD, "cli", "relock")
FIXTURES = os.path.join(BUILD, "tests", "cli")
CONTEND = os.path.join(FIXTURES, "contend")
STATIC = os.path.join(FIXTURES, "contend_static")
LIMIT_S = 60
OURS = 125
NOBODY = 65534


def environment(**extra):
    """The caller's, without what would change the command's mind; None takes a variable out."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("RELOCK_") and k not in ("LD_PRELOAD", "NO_COLOR")}
    for name, value in extra.items():
        if value is None:
            env.pop(name, None)
        else:
            env[name] = value
    return env


def relock(*arguments, command=COMMAND, env=None, text=True, limit=LIMIT_S, **options):
    return subprocess.run([command, *arguments], env=env or environment(), capture_output=True, text=text,
                          timeout=limit, **{"stdin": subprocess.DEVNULL, **options} if "input" not in options else options)


class Case(unittest.TestCase):
    """A test with a directory of its own, in which commands are run."""

    maxDiff = None

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="relock-cli-")
        self.addCleanup(shutil.rmtree, self.directory, True)
        os.chmod(self.directory, 0o755)

    def path(self, *names):
        return os.path.join(self.directory, *names)

    def write(self, name, content, mode=0o644):
        path = self.path(name)
        with open(path, "wb" if isinstance(content, bytes) else "w") as file:
            file.write(content)
        os.chmod(path, mode)
        return path

    def relock(self, *arguments, **options):
        return relock(*arguments, cwd=options.pop("cwd", self.directory), **options)

    def run_quietly(self, *program, options=(), **more):
        """relock run -q: the program's streams and nothing else."""
        return self.relock("run", "-q", *options, "--", *program, **more)

    def refused(self, *arguments, says, status=OURS, **options):
        done = self.relock(*arguments, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, done.stderr)
        self.assertTrue(done.stderr.startswith("relock: "), done.stderr)
        return done


def on_terminal(*arguments, directory="/", env=None):
    """Starts the command on a terminal of its own. Returns its process id and the other end of the terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            os.chdir(directory)
            os.execve(COMMAND, [COMMAND, *arguments], env or environment())
        finally:
            os._exit(127)
    return pid, terminal


def verbs():
    """The verbs the help lists, so that a new one is tested without a change here."""
    text = relock("--help").stdout
    return re.findall(r"^  relock (\w+)", text[text.index("Usage:"):text.index("Verbs:")], re.M)


class Option:
    def __init__(self, letter, name, value, example, choices):
        self.letter, self.name, self.value, self.example, self.choices = letter, name, value, example, choices

    def sample(self):
        """A value the option takes, from its own example."""
        return re.split("[ =]", shlex.split(self.example)[-1] if " " in self.example else self.example, maxsplit=0)[-1] \
            if not self.example.startswith("--set") else self.example.split(" ", 1)[1]


def options(verb):
    text = relock(verb, "--help").stdout
    if "\nOptions:\n" not in text:
        return []
    part = text[text.index("\nOptions:\n"):text.index("\nExamples:\n")]
    found = []
    for block in re.split(r"\n(?=  -)", part)[1:]:
        match = re.match(r"  (?:-(\w), )?--([\w-]+)(?: ([A-Z][^ \n]*))?", block)
        example = re.search(r"Example: (.*)", block).group(1)
        one_of = re.search(r"One of: ([^.]*)\.", block)
        found.append(Option(*match.groups(), example, one_of.group(1).split(", ") if one_of else []))
    return found


def examples(*arguments):
    """The commands of the Examples section of a help text, as argument lists without "relock"."""
    text = relock(*arguments).stdout
    return [shlex.split(line)[1:] for line in re.findall(r"^  (relock .*)", text[text.index("\nExamples:\n"):], re.M)]


def patched_loader(target, replacement):
    """A copy of a dynamic program that names another loader."""
    with open(CONTEND, "rb") as file:
        content = file.read()
    loader = re.search(rb"/lib[^\0]*/ld[^\0]*", content).group(0)
    assert len(replacement) <= len(loader)
    with open(target, "wb") as file:
        file.write(content.replace(loader, replacement.ljust(len(loader), b"\0"), 1))
    os.chmod(target, 0o755)
    return target


main = unittest.main
