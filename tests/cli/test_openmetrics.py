#!/usr/bin/env python3
"""relock report --format openmetrics: what the standard's grammar allows, with the figures of JSON."""

import decimal
import json

from harness import *
from openmetrics import parse

NAMED = os.path.join(FIXTURES, "named")


class OpenMetrics(Case):
    def setUp(self):
        super().setUp()
        done = self.run_quietly(NAMED, "one", "two", "three", "four", options=("-o", "run.rlk"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def collect(self, *arguments):
        done = self.relock("report", "--format", "openmetrics", *arguments, env=environment(LC_ALL="C"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return parse(done.stdout)

    def json(self):
        return json.loads(self.relock("report", "--format", "json", "run.rlk").stdout)

    def same(self, families, of, figures, samples):
        """Every figure that is a counter of JSON is there, to the ns."""
        seen = 0
        for key, value in figures.items():
            name = re.sub("_total$", "", key.removesuffix("_ns")) + ("_seconds" if key.endswith("_ns") else "")
            if f"relock_{of}{name}" in families and isinstance(value, int):
                kind, found = families[f"relock_{of}{name}"]
                self.assertEqual(samples(found), decimal.Decimal(value).scaleb(-9 if key.endswith("_ns") else 0), key)
                self.assertEqual(kind, "gauge" if "_max" in key or key in ("wall_ns", "thread_time_ns", "threads", "locks") else "counter")
                seen += 1
        return seen

    def test_totals(self):
        families = self.collect("run.rlk")
        self.assertGreater(self.same(families, "", self.json()["totals"], lambda found: next(iter(found.values()))), 25)

    def test_rows(self):
        families, whole = self.collect("run.rlk"), self.json()
        for lock in whole["locks"]:
            def sample(found):
                return next(value for labels, value in found.items() if dict(labels)["index"] == str(lock["index"]))
            self.assertGreater(self.same(families, "lock_", lock, sample), 25)
        labels = [dict(labels) for labels in families["relock_lock_acquired"][1]]
        self.assertEqual({(l["name"], l["kind"], l["program"]) for l in labels},
                         {(lock["name"], "mutex", "named") for lock in whole["locks"]})

    def test_by(self):
        for by, key, name in (("class", "classes", "acquired"), ("site", "sites", "wait_seconds"), ("thread", "threads", "wait_seconds")):
            found = self.collect("--by", by, "run.rlk")[f"relock_{by}_{name}"][1]
            self.assertEqual(sorted(dict(labels)["name"] for labels in found), sorted(row["name"] for row in self.json()[key]))
        self.assertEqual(len(self.collect("-n", "2", "run.rlk")["relock_lock_acquired"][1]), 2)

    def test_several_recordings(self):
        self.run_quietly(NAMED, "one", "two", options=("-o", "other.rlk"))
        families = self.collect(".")
        self.assertEqual(len(families["relock_recording"][1]), 2)
        self.assertEqual(list(families["relock_threads"][1]), [()])


if __name__ == "__main__":
    main()
