#!/usr/bin/env python3
"""relock diff on recordings of a real program: what is asked for is in the text, JSON and CSV."""

import csv
import io
import json

from harness import *


class Diff(Case):
    def record(self, name, turns, *options):
        done = self.run_quietly(CONTEND, "4", str(turns), options=("-o", name, *options))
        self.assertEqual(done.returncode, 0, done.stderr)

    def setUp(self):
        super().setUp()
        self.record("a.rlk", 3000)
        self.record("b.rlk", 30000, "-p", "spin-park")

    def test_json(self):
        done = self.relock("diff", "--format", "json", "a.rlk", "b.rlk")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = json.loads(done.stdout)
        self.assertEqual(result["schema"], "relock-diff-1")
        self.assertEqual((result["a"]["policy"], result["b"]["policy"].split(":")[0]), ("native", "spin-park"))
        row = next(r for r in result["classes"] if r["name"] == "contended_lock")
        self.assertEqual((row["kind"], row["status"]), ("mutex", "both"))
        self.assertEqual((row["acquired_a"], row["acquired_b"], row["acquired_ratio"]), (12000, 120000, 10))
        self.assertIn("acquired", row["moved"])

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.relock("diff", "--format", "csv", "a.rlk", "b.rlk").stdout)))
        row = next(r for r in rows if r["name"] == "contended_lock")
        self.assertEqual((row["acquired_a"], row["acquired_b"]), ("12000", "120000"))

    def test_text(self):
        done = self.relock("diff", "a.rlk", "b.rlk")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^A  a\.rlk .*contend 4 3000.*policy native")
        self.assertRegex(done.stdout, r"(?m)^1  contended_lock +mutex .*acquired x10$")
        self.assertRegex(done.stdout.splitlines()[-1], r"^next     relock compare -p native -p spin-park\S* -- \S*contend 4 30000$")

    def test_with_itself_nothing_moved(self):
        done = self.relock("diff", "--threshold", "0%", "a.rlk", "a.rlk")
        self.assertEqual(done.returncode, 0)
        self.assertIn("classes moved by more than 0 %", done.stdout)

    def test_directories(self):
        os.mkdir(self.path("before"))
        os.rename(self.path("a.rlk"), self.path("before", "a.rlk"))
        done = self.relock("diff", "--format", "json", "before", "b.rlk")
        self.assertEqual(json.loads(done.stdout)["a"]["recordings"], 1)

    def test_refused(self):
        self.refused("diff", "a.rlk", says="A B")
        self.refused("diff", "a.rlk", "b.rlk", "a.rlk", says="a.rlk")
        self.refused("diff", "a.rlk", "missing.rlk", says="missing.rlk")
        self.refused("diff", "--threshold", "x", "a.rlk", "b.rlk", says="percentage")
        self.write("text", "no recording")
        self.refused("diff", "a.rlk", "text", says="text")


if __name__ == "__main__":
    main()
