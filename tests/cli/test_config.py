#!/usr/bin/env python3
"""relock config and relock policies: what they print is what is in force, and can be read back."""

from harness import *


def shown(text):
    """{"section.key": (value, origin)} of what --show prints."""
    rows = {}
    for line in text.splitlines():
        name, rest = line.split(" = ", 1)
        value, origin = rest.rsplit(" ; ", 1)
        rows[name] = (value, origin)
    return rows


class Default(Case):
    def test_reads_back(self):
        text = self.relock("config", "--default").stdout
        self.write("relock.ini", text)
        done = self.relock("config", "--check", "relock.ini")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("relock.ini", done.stdout)
        plain = shown(self.relock("config", "--show").stdout)
        read = shown(self.relock("config", "--show", "-c", "relock.ini").stdout)
        self.assertEqual(read.pop("relock.config")[0], "relock.ini")
        self.assertEqual({k: v for k, (v, _) in plain.items()}, {k: v for k, (v, _) in read.items()})

    def test_names_what_show_shows(self):
        text = self.relock("config", "--default").stdout
        for name in shown(self.relock("config", "--show").stdout):
            section, key = name.split(".")
            self.assertRegex(text, rf"(?m)^;? ?\[{section}")
            self.assertRegex(text, rf"(?m)^;? ?{key} = ")


class Show(Case):
    def test_origins(self):
        self.write("some.ini", "[relock]\npolicy = spin\n\n[record]\nholds = all\nstacks = off\n")
        rows = shown(self.relock("config", "--show", "-c", "some.ini", "-p", "spin-park:spins=9",
                                 env=environment(RELOCK_STACKS="on")).stdout)
        self.assertEqual(rows["record.max_locks"][1], "default")
        self.assertEqual(rows["record.holds"][0], "all")
        self.assertRegex(rows["record.holds"][1], r"some\.ini:5$")
        self.assertEqual(rows["record.stacks"], ("on", "RELOCK_STACKS"))
        self.assertTrue(rows["relock.policy"][0].startswith("spin-park"))
        self.assertIn("-p", rows["relock.policy"][1])
        self.assertEqual(rows["mutex.spins"][0], "9")

    def test_options_of_run_are_those_of_show(self):
        rows = shown(self.relock("config", "--show", "--set", "record.hold_sample=100", "--set", "mutex.spins=3",
                                 "--set", "mutex.policy=spin-yield").stdout)
        self.assertEqual(rows["record.hold_sample"][0], "100")
        self.assertEqual(rows["mutex.spins"][0], "3", "a tunable given before its policy")

    def test_shipped_configurations_by_name(self):
        names = sorted(os.listdir(os.path.join(BUILD, "share", "relock")))
        self.assertGreaterEqual(len(names), 4)
        for name in names:
            for spelling in (name, name.removesuffix(".ini")):
                done = self.relock("config", "--show", "-c", spelling)
                self.assertEqual(done.returncode, 0, done.stderr)
        self.write("latency", "[relock]\npolicy = backoff\n")
        rows = shown(self.relock("config", "--show", "-c", "latency").stdout)
        self.assertTrue(rows["relock.policy"][0].startswith("backoff"), "a file here comes before a shipped one")


class Check(Case):
    def wrong(self, content, *says):
        self.write("wrong.ini", content)
        self.refused("config", "--check", "wrong.ini", says=says)

    def test_mistakes(self):
        self.wrong("[mutxe]\npolicy = spin\n", "wrong.ini:1", "mutex")
        self.wrong("[mutex]\npolicy = spin\nspin = 3\n", "wrong.ini:3")
        self.wrong("[mutex]\npolicy = spni\n", "wrong.ini:2", "spin")
        self.wrong("[mutex]\npolicy = progress\nsleep = 10\n", "wrong.ini:3", "us")
        self.wrong("[record]\nmax_memory = 1Gib\n", "wrong.ini:2", "max_memory")
        self.wrong("[record]\nholds = some\n", "wrong.ini:2", "sampled")
        self.refused("config", "--check", "missing.ini", says="missing.ini")

    def test_all_files_are_checked(self):
        self.write("good.ini", "[mutex]\npolicy = spin\n")
        self.write("bad.ini", "[mutex]\npolicy = spni\n")
        done = self.relock("config", "--check", "bad.ini", "good.ini")
        self.assertEqual(done.returncode, OURS)
        self.assertIn("good.ini", done.stdout)
        self.assertIn("bad.ini:2", done.stderr)

    def test_usage(self):
        self.refused("config", says=["--default", "--show", "--check"])
        self.refused("config", "--default", "--show", says="one of")
        self.refused("config", "--check", says="relock config --check relock.ini")
        self.refused("config", "--show", "some.ini", says="-c FILE")


class Policies(Case):
    def names(self):
        return re.findall(r"^([a-z-]+)  +\S", self.relock("policies").stdout.split("\n\n")[0], re.M)

    def test_table(self):
        names = self.names()
        self.assertEqual(names[0], "native")
        for name in ("spin-sleep", "spin-yield", "spin-yield-sleep", "spin", "spin-park", "backoff", "progress"):
            self.assertIn(name, names)
        self.assertIn("pause hints of this processor: default, none", self.relock("policies").stdout)

    def test_each(self):
        for name in self.names():
            done = self.relock("policies", name)
            self.assertEqual(done.returncode, 0)
            self.assertTrue(done.stdout.startswith(name + ": "))
            self.assertIn("\nsource\n", done.stdout)
            # Every spelling that is shown for a tunable is accepted, in all three places.
            for option in re.findall(r"^      -p (\S+)$", done.stdout, re.M):
                self.assertEqual(self.relock("config", "--show", "-p", option).returncode, 0, option)
            for section, key, value, name_and_value, variable in re.findall(
                    r"^      \[(\w+)\] (\w+) = (\S+)    --set (\S+)    (\S+)$", done.stdout, re.M):
                self.write("one.ini", f"[{section}]\npolicy = {name}\n{key} = {value}\n")
                rows = shown(self.relock("config", "--show", "-c", "one.ini").stdout)
                self.assertEqual(rows[f"{section}.{key}"][0], value)
                for arguments, env in ((["--set", name_and_value], {}), ([], dict([variable.split("=", 1)], RELOCK_POLICY=name))):
                    again = self.relock("config", "--show", "-p", name, *arguments, env=environment(**env))
                    self.assertEqual(again.returncode, 0, again.stderr)
                    self.assertEqual(shown(again.stdout)[f"{section}.{key}"][0], value)

    def test_unknown(self):
        self.refused("policies", "spin-prak", says=["spin-prak", "nearest: 'spin-park'", "relock policies"])


if __name__ == "__main__":
    main()
