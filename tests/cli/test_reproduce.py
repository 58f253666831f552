#!/usr/bin/env python3
"""The published findings, measured: what is asked for, what is printed and saved, and how it can be stopped.

Nothing here depends on what is measured: verdicts are tested on made-up results in tests/unit/reproduce_judge.c.
"""

import json
import time

from harness import *

VERDICTS = {"confirmed", "contradicted", "inconclusive"}


def workload(name):
    return os.path.join(BUILD, "workloads", name)


class Workloads(Case):
    """They are programs like any other; each prints one line, or one line of JSON."""

    RUNS = {
        "alloc": ["--threads", "4", "--seconds", "0.2", "--settle", "0.05", "--every", "1000"],
        "timed_alloc": ["--seconds", "0.2", "--settle", "0.05", "--mode", "deadline"],
        "producer_consumer": ["--trials", "3", "--cpus", "1"],
        "handshake": ["--rounds", "3", "--by", "mutex"],
        "population": ["--locks", "500", "--threads", "2"],
    }

    def run_json(self, name, *more, command=(), **options):
        done = subprocess.run([*command, workload(name), *self.RUNS[name], *more, "--json"], env=environment(),
                              capture_output=True, text=True, timeout=LIMIT_S, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_output(self):
        for name, arguments in self.RUNS.items():
            with self.subTest(name):
                self.assertEqual(self.run_json(name)["workload"], name)
                done = subprocess.run([workload(name), *arguments], capture_output=True, text=True, timeout=LIMIT_S)
                self.assertEqual(done.returncode, 0)
                self.assertRegex(done.stdout, rf"^{name}: .*\n$")

    def test_mistakes(self):
        for name in self.RUNS:
            for wrong in (["--no-such-thing"], ["--seed", "x"], ["--seed"], ["extra"], ["--threads", "-1"]):
                done = subprocess.run([workload(name), *wrong], capture_output=True, text=True, timeout=LIMIT_S)
                self.assertEqual(done.returncode, 2, f"{name} {wrong}")
                self.assertTrue(done.stderr.startswith(name + ": "), done.stderr)
            done = subprocess.run([workload(name), "--help"], capture_output=True, text=True, timeout=LIMIT_S)
            self.assertEqual(done.returncode, 0)
            self.assertIn("--seed", done.stdout)

    def test_every_way_works_under_every_policy(self):
        ways = {"timed_alloc": [["--mode", m] for m in ("per-item", "count", "hold")],
                "producer_consumer": [["--spin", s] for s in ("none", "no-hint", "hint")],
                "handshake": [["--by", b] for b in ("flag", "spin")],
                "alloc": [["--urgent", "off"], ["--urgent", "on"]], "population": [[]]}
        policies = [p for p in re.findall(r"^([a-z][a-z-]*)  ", relock("policies").stdout, re.M) if p != "next"]
        self.assertIn("spin-yield", policies)
        for number, policy in enumerate(policies):
            for name, variants in ways.items():
                with self.subTest(policy=policy, name=name):
                    self.run_json(name, *variants[number % len(variants)], cwd=self.directory,
                                  command=[COMMAND, "run", "-q", "-p", policy, "--set", "record.enabled=off", "--"])

    def test_stops_follow_the_work(self):
        result = self.run_json("alloc", "--seconds", "0.4")
        self.assertGreater(result["polls"], 0)
        self.assertLessEqual(result["ttsp_min_ns"], result["ttsp_mean_ns"])
        self.assertLessEqual(result["ttsp_mean_ns"], result["ttsp_max_ns"])

    def test_population_counts_what_a_recording_counts(self):
        made = self.run_json("population", cwd=self.directory,
                             command=[COMMAND, "run", "-q", "-o", "population.rlk", "--"])
        self.assertGreaterEqual(made["locks"], 500)
        self.assertEqual(made["acquired"], 2 * made["locks"])
        report = json.loads(self.relock("report", "--format", "json", "population.rlk").stdout)
        self.assertIn(str(made["acquired"]), json.dumps(report))


class Reproduce(Case):
    def results(self, directory):
        with open(self.path(directory, "results.json")) as file:
            return json.load(file)

    def test_list(self):
        done = self.relock("reproduce", "list")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(re.findall(r"^\d (\w+)", done.stdout, re.M),
                         ["spinning", "batching", "hint", "handshake", "deflation"])

    def test_mistakes(self):
        self.refused("reproduce", "spining", says=["spining", "nearest: 'spinning'", "list"])
        self.refused("reproduce", "--repetitions", "0", says="--repetitions")
        self.refused("reproduce", "hint", "--out", "/no/such/place", says=["/no/such/place", "--out"])
        self.refused("reproduce", "--on", says="--on")
        self.refused("reproduce", "--on", "--", "/no/such/program", says="/no/such/program", status=127)

    def test_few_repetitions_give_figures_and_no_verdict(self):
        done = self.relock("reproduce", "hint", "--quick", "-n", "1", "--out", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 of the 5 repetitions", done.stdout)
        self.assertIn("published", done.stdout)
        found = self.results("out")
        self.assertEqual(found["schema"], "relock-reproduce-1")
        [finding] = found["findings"]
        self.assertEqual({c["verdict"] for c in finding["criteria"]}, {"inconclusive"})
        trial = finding["trials"][0]
        hint = next(c for c in trial["candidates"] if c["name"] == "hint")
        figure = next(f for f in hint["figures"] if f["metric"] == "trial")
        self.assertEqual(figure["published"], 217054)
        self.assertGreater(figure["median"], 0)
        self.assertEqual(len(figure["values"]), 1)
        with open(self.path("out", "results.md")) as file:
            text = file.read()
        self.assertIn("## hint", text)
        self.assertIn("| published |", text)
        self.assertTrue(os.path.exists(self.path("out", "hint.gp")))
        if shutil.which("gnuplot"):
            with open(self.path("out", "hint-two-cpus-trial.svg")) as file:
                self.assertIn("published", file.read())
        else:
            self.assertIn("gnuplot is not installed", done.stdout)

    def test_verdicts_and_status(self):
        # Five repetitions, the fewest that a verdict takes: half a minute, more on a busy machine.
        done = self.relock("reproduce", "hint", "--quick", "--out", "out", limit=240)
        verdicts = [c["verdict"] for c in self.results("out")["findings"][0]["criteria"]]
        self.assertLessEqual(set(verdicts), VERDICTS)
        self.assertEqual(done.returncode, 1 if "contradicted" in verdicts else 0, done.stderr)
        for criterion in self.results("out")["findings"][0]["criteria"]:
            self.assertEqual(bool(criterion["reason"]), criterion["verdict"] == "inconclusive", criterion)

    def test_too_few_cpus(self):
        done = self.relock("reproduce", "spinning", "--quick", "--out", "out", preexec_fn=one_cpu)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("too few CPUs: 2 are needed, 1 allowed", done.stdout)
        for criterion in self.results("out")["findings"][0]["criteria"]:
            self.assertEqual(criterion["verdict"], "inconclusive")

    def test_what_the_caller_has_set_does_not_matter(self):
        env = environment(RELOCK_POLICY="no-such-policy", RELOCK_CONFIG="/no/such/file.ini")
        done = self.relock("reproduce", "hint", "--quick", "-n", "1", "--out", "out", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("failed", done.stdout.replace("or failed", ""))

    def test_interrupted(self):
        process = subprocess.Popen([COMMAND, "reproduce", "spinning", "--out", "out"], cwd=self.directory, env=environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn("this takes about", process.stdout.readline())
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertIn("stopped", out)
        self.assertEqual({c["verdict"] for c in self.results("out")["findings"][0]["criteria"]}, {"inconclusive"})

    def test_on_a_program(self):
        done = self.relock("reproduce", "--on", "--quick", "-n", "1", "--out", "out", "--", CONTEND)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, candidates in (("spinning", ["spin-sleep", "native", "spin-yield:spins=255"]),
                                 ("hint", ["native", "spin-park:spins=125,hint=none"])):
            with open(self.path("out", f"on-{name}.json")) as file:
                found = json.load(file)
            names = [c["name"] for c in found["candidates"]]
            self.assertEqual(found["reference"], candidates[0])
            for candidate in candidates:
                self.assertIn(candidate, names)
            self.assertTrue(all(run["outcome"] == "done" for run in found["runs"]), found["runs"])

    def test_on_a_program_by_its_own_number(self):
        done = self.relock("reproduce", "--on", "--quick", "-n", "1", "--metric", r"n=(\d+)", "--higher", "n",
                           "--out", "out", "--", CONTEND)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("out", "on-hint.json")) as file:
            self.assertEqual([m["name"] for m in json.load(file)["metrics"]], ["n"])
        self.assertIn("8k", done.stdout)


def one_cpu():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


class Installed(Case):
    def test_moved(self):
        prefix, moved = self.path("prefix"), self.path("moved")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True, timeout=LIMIT_S)
        os.rename(prefix, moved)
        done = self.relock("reproduce", "hint", "--quick", "-n", "1", "--out", "out",
                           command=os.path.join(moved, "bin", "relock"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("not found", done.stdout)
        self.assertIn("condition waits", done.stdout)


if __name__ == "__main__":
    main()
