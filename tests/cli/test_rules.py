#!/usr/bin/env python3
"""Rules per lock as a user meets them: on the command line, in files, in reports and in comparisons."""

import json

from harness import *


class Rules(Case):
    def run_under(self, *rules, program=(CONTEND, "4", "20000"), options=(), **more):
        """The JSON report of a run: its one lock that is the program's."""
        given = [word for rule in rules for word in ("-r", rule)]
        done = self.relock("run", "-q", *options, *given, "-o", "run.rlk", "--", *program, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said = done.stderr
        report = json.loads(self.relock("report", "--format", "json", "run.rlk").stdout)
        os.unlink(self.path("run.rlk"))
        return report, next(lock for lock in report["locks"] if "contended_lock" in lock["name"])


class Run(Rules):
    def test_what_report_prints_selects_the_lock(self):
        _, lock = self.run_under()
        self.assertIsNone(lock["policy"])
        self.assertRegex(lock["rule"], r"^class=contend\+0x[0-9a-f]+$")
        report, lock = self.run_under(lock["rule"] + "=spin-yield:spins=3")
        self.assertRegex(lock["policy"], r"^spin-yield:spins=3\b")
        self.assertEqual(lock["acquired"], 80000)
        self.assertEqual(lock["blocks"], 0)
        options = {option["name"]: option for option in report["recordings"][0]["config"]}
        self.assertEqual(options["lock.1"]["origin"], "RELOCK_RULES")
        self.assertTrue(options["lock.1"]["value"].startswith(lock["rule"] + "=spin-yield"))

    def test_symbols(self):
        for pattern in ("contended_lock", "contended_*", "cont?nded[_]lock"):
            _, lock = self.run_under(f"symbol={pattern}=spin-yield")
            self.assertTrue(lock["policy"].startswith("spin-yield"), lock["policy"])
        _, lock = self.run_under("module=contend,symbol=contended_lock=spin-yield", "kind=mutex=spin-park")
        self.assertTrue(lock["policy"].startswith("spin-yield"))
        _, lock = self.run_under("kind=spin,symbol=contended_lock=spin-yield", "kind=mutex=spin-park")
        self.assertTrue(lock["policy"].startswith("spin-park"))

    def test_a_script_names_its_rules_class(self):
        """A shell has no such symbol; the classes of what it starts hold."""
        _, lock = self.run_under()
        script = self.write("script", f"#!/bin/sh\n{CONTEND} 4 20000\n", 0o755)
        self.refused("run", "-r", "symbol=contended_lock=spin", "--", script, says=["contended_lock", "-r:", "--rules"])
        _, lock = self.run_under(lock["rule"] + "=spin-yield", program=(script,))
        self.assertTrue(lock["policy"].startswith("spin-yield"))

    def test_refused_before_the_program_starts(self):
        for rule, says in (("symbol=nowhere=spin", ["-r: ", "'nowhere'", "'contend'"]),
                           ("symbol=contended_lock=spni", ["-r: ", '"spni"', '"spin"']),
                           ("clas=contend+0x1=spin", ['"clas"', '"class"']),
                           ("class=contend=spin", ["MODULE+0xOFFSET"]),
                           ("kind=mutex", ["lacks its policy"]),
                           ("spin", ["is no rule"])):
            done = self.refused("run", "-r", rule, "--", "touch", "started", says=[])
            if "'contend'" not in says:
                for part in says:
                    self.assertIn(part, done.stderr)
            self.assertFalse(os.path.exists(self.path("started")), rule)
        self.refused("run", "-r", "symbol=nowhere=spin", "--", CONTEND, says=["-r: ", "'nowhere'", "'contend'"])

    def test_files_may_be_for_other_programs(self):
        self.write("a.ini", "[lock \"other\"]\nsymbol = nowhere\npolicy = spin\n"
                            "[lock \"this\"]\nsymbol = contended_lock\npolicy = spin-yield\nspins = 5\n")
        _, lock = self.run_under(options=("-c", "a.ini"))
        self.assertRegex(lock["policy"], r"^spin-yield:spins=5\b")
        self.assertIn("a.ini:1", self.said)
        self.assertIn("nowhere", self.said)
        self.assertEqual(self.said.count("\n"), 1, self.said)

    def test_order(self):
        self.write("a.ini", "[lock \"all\"]\nkind = mutex\npolicy = spin-sleep\n")
        env = environment(RELOCK_RULES="kind=mutex=spin-yield")
        options = ("-c", "a.ini", "-p", "progress")
        for rules, where, policy in ((["kind=mutex=spin-park"], env, "spin-park"), ([], env, "spin-yield"),
                                     ([], environment(), "spin-sleep"), (["kind=spin=spin"], environment(), "spin-sleep"),
                                     (["kind=spin=spin", "none"], env, None), (["none"], env, None)):
            _, lock = self.run_under(*rules, options=options, env=where)
            self.assertEqual((lock["policy"] or "").split(":")[0], policy or "", rules)

    def test_run_within_a_run(self):
        report, lock = self.run_under("kind=spin=spin;symbol=contended_lock=spin-yield",
                                      options=("-p", "native"), program=(CONTEND, "4", "20000"))
        outer = [COMMAND, "run", "-q", "-r", "kind=rwlock=spin", "-r", f"{lock['rule']}=spin-yield", "--"]
        done = self.relock(*outer[1:], COMMAND, "run", "-q", "-r", "kind=spin=spin", "-o", "inner.rlk", "--", CONTEND)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(self.relock("report", "--format", "json", "inner.rlk").stdout)
        rules = [o["value"] for o in report["recordings"][0]["config"] if o["name"].startswith("lock.")]
        self.assertEqual([rule.split("=")[1] for rule in rules], ["spin", "rwlock", "contend+0x" + lock["rule"].split("0x")[1]])


class Show(Rules):
    def test_config(self):
        self.write("a.ini", "[lock \"the queue\"]\nclass = libfoo.so.1+0x10-0x1f | 0x40\nspins = 7\npolicy = spin-park\n")
        lines = self.relock("config", "--show", "-c", "a.ini", "-r", "symbol=q*=native").stdout.splitlines()
        lines = [line for line in lines if line.startswith("lock.")]
        self.assertEqual(lines[0], "lock.1 = symbol=q*=native ; -r")
        self.assertRegex(lines[1], r"^lock\.2 = name=the queue,class=libfoo\.so\.1\+0x10-0x1f\|0x40=spin-park:spins=7.* ; a\.ini:1$")
        self.assertEqual(self.relock("config", "--check", "a.ini").returncode, 0)
        self.write("b.ini", "[lock \"x\"]\nkind = mutex\npolicy = spin-park\nslep = 1ms\n")
        self.refused("config", "--check", "b.ini", says=["b.ini:4", '"slep"', '"sleep"'])
        self.write("b.ini", "[lock \"x\"]\nkind = mutex\npolicy = spin-park\nsleep = 1ms\n")
        self.refused("config", "--check", "b.ini", says=["b.ini:4", "spin-park", "does not read"])

    def test_report(self):
        self.relock("run", "-q", "-r", "symbol=contended_lock=spin-yield", "-o", "run.rlk", "--", CONTEND)
        plain = self.relock("report", "run.rlk").stdout
        self.assertIn("1 rule per lock", plain)
        self.assertNotIn("class=", plain)
        for by in ("lock", "class"):
            text = self.relock("report", "--rules", "--by", by, "run.rlk").stdout
            self.assertRegex(text, r"rule  class=contend\+0x[0-9a-f]+   lock\.1 gave it spin-yield:")
            self.assertEqual(text.count("class="), 1, text)


class Compared(Rules):
    def test_rules_are_candidates(self):
        rule = "symbol=contended_lock=spin-yield;kind=rwlock=spin"
        done = self.relock("compare", "--color=never", "-n", "1", "-w", "0", "-o", "result.json", "-p", "native", "-r", rule,
                           "--", CONTEND, env=environment(TMPDIR=self.directory))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("result.json")) as file:
            result = json.load(file)
        self.assertEqual([c["name"] for c in result["candidates"]][:2], ["native", rule])
        self.assertIn("rules = symbol=contended_lock=spin-yield", result["candidates"][1]["settings"])
        self.refused("compare", "-p", "native", "-r", "symbol=nowhere=spin", "--", CONTEND, says="nowhere")

    def test_the_next_command_has_the_rules(self):
        rule = "symbol=contended_lock=spin-yield;kind=rwlock=spin"
        done = self.relock("compare", "--color=never", "-n", "1", "-w", "0", "-r", rule, "-p", "native", "--", CONTEND, env=environment(TMPDIR=self.directory))
        self.assertTrue(done.stdout.splitlines()[-1].startswith(f"next     relock run -r '{rule}' -- "), done.stdout)


if __name__ == "__main__":
    main()
