#!/usr/bin/env python3
"""relock report --format folded: lines that flame graph tools take, whose weights are the ns waited."""

import collections
import json

from harness import *

NAMED = os.path.join(FIXTURES, "named")


class Folded(Case):
    def setUp(self):
        super().setUp()
        done = self.run_quietly(NAMED, "one", "two", "three", "four", options=("-o", "run.rlk"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def fold(self, *arguments):
        """[(frames, weight)], read as the tools do: the last space separates, semicolons do."""
        done = self.relock("report", "--format", "folded", *arguments, env=environment(LC_ALL="C"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [re.fullmatch(r"(.*) (\d+)", line) for line in done.stdout.splitlines()]
        return [(line[1].split(";"), int(line[2])) for line in lines]

    def json(self):
        return json.loads(self.relock("report", "--format", "json", "run.rlk").stdout)

    def test_weights_are_all_waiting(self):
        waited = sum(pair["wait_total_ns"] for pair in self.json()["pairs"])
        self.assertGreater(waited, 0)
        for by in ("lock", "class", "site"):
            lines = self.fold("--by", by, "run.rlk")
            self.assertEqual(sum(weight for _, weight in lines), waited, by)
            self.assertEqual([weight for _, weight in lines], sorted((weight for _, weight in lines), reverse=True))

    def test_weights_of_each_lock(self):
        whole, expected, found = self.json(), collections.Counter(), collections.Counter()
        for pair in whole["pairs"]:
            expected[next(lock["name"] for lock in whole["locks"] if lock["index"] == pair["lock"])] += pair["wait_total_ns"]
        for frames, weight in self.fold("run.rlk"):
            self.assertEqual(frames[0], "named")
            self.assertIn("harmless_function", frames)
            found[frames[-1][1:-1]] += weight
        self.assertEqual(found, expected)

    def test_frames_are_those_of_the_contexts(self):
        whole = self.json()
        stacks = {tuple(frame["short"] for frame in reversed(context["frames"])) for context in whole["contexts"]}
        for frames, _ in self.fold("--by", "site", "run.rlk"):
            self.assertIn(tuple(name for name in frames[1:] if name != "…"), stacks)

    def test_by(self):
        self.assertEqual({frames[-1] for frames, _ in self.fold("--by", "class", "run.rlk")}, {"[harmless_variable[]]"})
        self.refused("report", "--format", "folded", "--by", "thread", "run.rlk", says="by lock, class or site")
        self.assertEqual(len(self.fold("-n", "1", "run.rlk")), 1)

    def test_several_programs(self):
        os.symlink(CONTEND, self.path("other"))
        self.run_quietly(self.path("other"), options=("-o", "other.rlk"))
        self.assertEqual({frames[0] for frames, _ in self.fold(".")}, {"named", "contend"})

    def test_nothing_waited_for(self):
        self.run_quietly(NAMED, "alone", options=("-o", "alone.rlk"))
        self.assertEqual(self.fold("alone.rlk"), [])


if __name__ == "__main__":
    main()
