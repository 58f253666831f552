#!/usr/bin/env python3
"""The README's commands run, and give what it shows.

A ```console block holds commands ("$ relock …") and output. Numbers differ from run to run and rows change places, so lines are
compared by shape: every line of the README must be found among those printed, with numbers, units, bars and widths taken
out. Of tables whose rows depend on the run (they begin with a rank), only that there are such rows.
"""

import re
import shlex
import shutil
import subprocess

from harness import *

NUMBER = re.compile(r"<?\d[\d.,]*(?:\s?(?:ns|µs|ms|s|%|k|M|G|KiB|MiB))?(?![\w.])")


def shape(line):
    line = re.sub(r"pid \d+", "pid N", line)
    line = re.sub(r"\S*/?relock\.(\w+)\.\d+\.rlk", r"relock.\1.N.rlk", line)
    line = re.sub(r"\(\d+ in all\) ", "", line)
    line = NUMBER.sub("N", line)
    return " ".join(re.sub("[█▏▎▍▌▋▊▉]", "", line).split())


def blocks():
    with open(os.path.join(SOURCE, "README.md")) as file:
        for block in re.findall(r"^```console\n(.*?)^```$", file.read(), re.M | re.S):
            command, *output = block.splitlines()
            yield command.removeprefix("$ "), output


class Readme(Case):
    def test_console_blocks(self):
        seen = 0
        for command, expected in blocks():
            words = shlex.split(command)
            self.assertEqual(words[0], "relock", command)
            if "--" in words and not shutil.which(words[words.index("--") + 1]):
                self.skipTest(f"{words[words.index('--') + 1]} is not installed")
            done = self.relock(*words[1:])
            self.assertEqual(done.returncode, 0, done.stderr)
            printed = {shape(l) for l in (done.stdout if words[1] != "run" else done.stderr).splitlines()}
            for line in expected:
                # Rows, and advice with the command that follows from it, depend on what the run met with.
                if re.match(r"\s*(\d+|…|read|write|advice|next)\s", line):
                    continue
                self.assertIn(shape(line), printed, f"{command}\n{line}\nis not in\n{done.stdout}{done.stderr}")
            if any(re.match(r"1\s", l) for l in expected):
                self.assertTrue([l for l in printed if re.match(r"N …?\w", l)], done.stderr)
            seen += 1
        self.assertGreaterEqual(seen, 3)

    def test_named_files_exist(self):
        with open(os.path.join(SOURCE, "README.md")) as file:
            text = file.read()
        for name in re.findall(r"^\| `(\w+\.ini)` \|", text, re.M):
            self.assertTrue(os.path.exists(os.path.join(SOURCE, "conf", name)), name)
        for name in re.findall(r"`((?:scripts|conf|tests|workloads)/[\w/.-]*)`", text):
            self.assertTrue(os.path.exists(os.path.join(SOURCE, name)), name)
        for policy in re.findall(r"-p ([a-z-]+)", text):
            self.assertEqual(self.relock("policies", policy).returncode, 0, policy)


if __name__ == "__main__":
    main()
