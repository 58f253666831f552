#!/usr/bin/env python3
"""Recordings as a machine leaves them when things go wrong: cut short, with flipped bits, of another relock or processor,
growing while they are read. `relock report` prints what is there, or one line that says why not, and ends.

The recording is a real one. What the reader makes of made-up ones, field by field, is in tests/unit/report_hostile.c, and
tests/fuzz/ goes further.
"""

import json
import random
import resource
import struct
import threading
import time

from harness import *
from openmetrics import parse
from page import Page, UNSEEN

PAGE = 4096
FLIPS = 300  # files with flipped bits
SEED = 20261130
CPU_S = 30  # for one report
# struct rlk_header, as far as it is needed.
VERSION, BYTE_ORDER, WORD_BITS, USED = 8, 12, 16, 32
WAYS = [("--format", form, "--by", by, *more) for form in ("text", "json", "csv", "html", "folded", "openmetrics")
        for by in ("lock", "class", "site", "thread") if (form, by) != ("folded", "thread") for more in ((), ("--stacks", "--rules"))]


def preloaded(directory, **extra):
    return environment(LD_PRELOAD=os.path.join(BUILD, "preload", "librelock.so"), RELOCK_HOLDS="all",
                       RELOCK_OUTPUT=os.path.join(directory, "%e.%p.rlk"), **extra)


class Damaged(Case):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="relock-cli-") as directory:
            subprocess.run([CONTEND, "4", "2000"], env=preloaded(directory), check=True, capture_output=True, timeout=LIMIT_S)
            name, = (n for n in os.listdir(directory) if n.endswith(".rlk"))
            with open(os.path.join(directory, name), "rb") as file:
                header = file.read(PAGE)
                cls.image = header + file.read(struct.unpack_from("Q", header, USED)[0] - PAGE)

    def report(self, path, *arguments):
        """Something of it, or one line about it; JSON where it was asked for."""
        done = self.relock("report", *arguments, path, env=environment(LC_ALL="C.UTF-8"))
        what = f"{arguments} {done.returncode}: {done.stderr}"
        self.assertIn(done.returncode, (0, OURS), what)
        if done.returncode == OURS:
            self.assertEqual(done.stdout, "", what)
            self.assertEqual(len(done.stderr.splitlines()), 1, what)
            self.assertTrue(done.stderr.startswith(f"relock: {path}: "), what)
            return None
        # Of what was cut off there may be no wait.
        self.assertTrue(done.stdout or "folded" in arguments, what)
        self.assertFalse(UNSEEN.search(done.stdout + done.stderr), what)
        if "html" in arguments:
            Page(done.stdout)
        if "openmetrics" in arguments:
            parse(done.stdout)
        return json.loads(done.stdout) if "json" in arguments else done.stdout

    def patched(self, offset, content):
        return self.write("patched.rlk", self.image[:offset] + content + self.image[offset + len(content):])

    def test_whole(self):
        report = self.report(self.write("whole.rlk", self.image), "--format", "json")
        self.assertEqual(report["totals"]["acquired"], 4 * 2000)
        self.assertEqual(report["warnings"], [])

    def test_cut_at_every_page(self):
        last = 0
        for size in range(PAGE, len(self.image) + 1, PAGE):
            report = self.report(self.write("cut.rlk", self.image[:size]), "--format", "json")
            self.assertIsNotNone(report, size)
            self.assertEqual(any("cut short" in warning for warning in report["warnings"]), size < len(self.image), size)
            self.assertGreaterEqual(report["totals"]["acquired"], last)
            last = report["totals"]["acquired"]
        self.assertEqual(last, 4 * 2000)

    def test_cut_inside_the_header(self):
        for size in (0, 1, 8, 100, 500):
            self.assertIsNone(self.report(self.write("cut.rlk", self.image[:size])))

    def test_flipped_bits(self):
        chance = random.Random(SEED)
        written = [at for at in range(len(self.image)) if self.image[at]]
        refused = 0
        for number in range(FLIPS):
            damaged = bytearray(self.image)
            for _ in range(chance.randint(1, 8)):
                # Where something was written, most of the time: that is what can mean something else now.
                at = chance.choice(written) if chance.random() < 0.9 else chance.randrange(len(damaged))
                damaged[at] ^= 1 << chance.randrange(8)
            path, way = self.write("flipped.rlk", bytes(damaged)), WAYS[number % len(WAYS)]
            try:
                refused += self.report(path, *way) is None
            except Exception:
                kept = shutil.copy(path, os.path.join(tempfile.mkdtemp(prefix="relock-damaged-"), "flipped.rlk"))
                print(f"kept: relock report {' '.join(way)} {kept}", file=sys.stderr)
                raise
        # Only the header's first fields make a recording unreadable.
        self.assertLess(refused, FLIPS // 10)

    def test_of_another_time_or_machine(self):
        for offset, content in ((VERSION, b"\x07\0\0\0"), (BYTE_ORDER, b"\1\2\3\4"), (WORD_BITS, b"\x20\0\0\0"), (0, b"RELOCK\r\n")):
            for form in ("text", "json", "csv", "html"):
                self.assertIsNone(self.report(self.patched(offset, content), "--format", form), offset)

    def test_one_bad_among_good(self):
        os.mkdir(self.path("all"))
        self.write("all/good.rlk", self.image)
        self.write("all/newer.rlk", self.image[:VERSION] + b"\x07" + self.image[VERSION + 1:])
        self.write("all/cut.rlk", self.image[:2 * PAGE])
        self.write("all/none.rlk", b"no recording")
        done = self.relock("report", "--format", "json", "all")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["totals"]["acquired"], 4 * 2000)
        for name in ("newer", "none"):
            self.assertIn(f"{name}.rlk: ", done.stderr)

    def test_other_things_where_the_program_was(self):
        """The files a recording names may have become anything since."""
        program = shutil.copy(CONTEND, self.path("prog"))
        subprocess.run([program, "4", "2000"], env=preloaded(self.directory), check=True, capture_output=True, timeout=LIMIT_S)
        recording, = (n for n in os.listdir(self.directory) if n.endswith(".rlk"))

        def sparse(path):
            with open(path, "wb") as file:
                file.write(b"\x7fELF")
                file.truncate(1 << 42)

        for become, says in ((os.mkfifo, "is not a regular file"), (os.mkdir, "is not a regular file"),
                             (lambda path: self.write("prog", b"\x1f\x8b\x08" + bytes(PAGE)), "is not an ELF file"),
                             (sparse, "is larger than 4 GiB"), (lambda path: shutil.copy("/bin/sh", path), "another build-id"),
                             (lambda path: os.symlink(path, path), "cannot be read"), (lambda path: None, "cannot be read")):
            os.rmdir(program) if os.path.isdir(program) else os.unlink(program)
            become(program)
            done = self.relock("report", "--format", "json", recording,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S)))
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(done.stdout)
            self.assertEqual(report["totals"]["acquired"], 4 * 2000)
            self.assertEqual(len(report["warnings"]), 1, report["warnings"])
            self.assertIn(f"/prog: {says}", report["warnings"][0].replace("changed since the recording (", ""))

    def test_growing(self):
        """The program goes on while it is read: later reports count no less."""
        with subprocess.Popen([CONTEND, "4", "1000000000"], env=preloaded(self.directory), stdout=subprocess.DEVNULL) as program:
            self.addCleanup(program.kill)
            give_up, last, grown = time.monotonic() + LIMIT_S, 0, 0
            while grown < 12 and time.monotonic() < give_up:
                paths = [n for n in os.listdir(self.directory) if n.endswith(".rlk")]
                report = self.report(paths[0], "--format", "json") if paths else None
                if report:
                    self.assertGreaterEqual(report["totals"]["acquired"], last)
                    grown += report["totals"]["acquired"] > last
                    last = report["totals"]["acquired"]
            program.kill()
        self.assertEqual(grown, 12)

    def test_changing_length(self):
        """Something cuts it and lets it grow again while it is read."""
        path, over = self.write("changing.rlk", self.image), threading.Event()

        def change():
            chance = random.Random(SEED)
            while not over.is_set():
                with open(path, "r+b") as file:
                    file.truncate(chance.randrange(PAGE, len(self.image)))
                    file.truncate(1 << 30)
                    file.seek(0)
                    file.write(self.image)

        changer = threading.Thread(target=change)
        changer.start()
        try:
            for number in range(24):
                self.report(path, *WAYS[number % len(WAYS)])
        finally:
            over.set()
            changer.join()


if __name__ == "__main__":
    main()
