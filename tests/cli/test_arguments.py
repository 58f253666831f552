#!/usr/bin/env python3
"""What is not in the table is refused with 125, naming what is wrong, the nearest spelling and what to do."""

from harness import *


class Unknown(Case):
    def test_verb(self):
        self.refused("reprot", says=["unknown verb 'reprot'", "nearest: 'report'", "relock --help"])
        self.refused("./server", says=["unknown verb './server'", "relock run -- ./server"])

    def test_verbs_to_come_are_unknown(self):
        for verb in ("tune", "top"):
            self.refused(verb, says="unknown verb")

    def test_options(self):
        self.refused("report", "--stakcs", says=["'--stakcs'", "nearest: '--stacks'", "relock report --help"])
        self.refused("report", "--stakcs=3", says=["'--stakcs'", "nearest: '--stacks'"])
        self.refused("run", "--polcy", "spin", "--", "true", says="nearest: '--policy'")
        self.refused("--hepl", says=["'--hepl'", "nearest: '--help'"])
        self.refused("run", "-z", "--", "true", says="'-z'")
        self.refused("run", "-qz", "--", "true", says="'-z'")
        self.refused("policies", "--quiet", says="'--quiet'")

    def test_every_option_with_a_typing_error(self):
        for verb in verbs():
            for option in options(verb):
                if len(option.name) < 4:
                    continue
                wrong = option.name[:-2] + option.name[-1] + option.name[-2]
                if wrong != option.name:
                    self.refused(verb, "--" + wrong, says=[f"'--{wrong}'", f"nearest: '--{option.name}'"])

    def test_options_of_the_program_are_its_own(self):
        done = self.run_quietly("printf", "%s\n", "--unknown", "-z", "--", "-p")
        self.assertEqual(done.stdout, "--unknown\n-z\n--\n-p\n")
        done = self.relock("run", "-q", "printf", "%s\n", "--help")
        self.assertEqual(done.stdout, "--help\n")


class Values(Case):
    def test_missing(self):
        self.refused("report", "-n", says=["takes a value", "N", "-n 20"])
        self.refused("run", "--policy", says=["takes a value", "POLICY"])
        self.refused("report", "--stacks=yes", says="takes no value")

    def test_numbers(self):
        for wrong in ("x", "-1", "1x", "", "99999999999999999999"):
            self.refused("report", "-n", wrong, says=f"'{wrong}' is not a number")

    def test_settings(self):
        for policy, near in (("spin-prak", "spin-park"), ("natve", "native")):
            self.refused("run", "-p", policy, "--", "true", says=["-p", policy, near])
        self.refused("run", "-p", "spin-park:spin=3", "--", "true", says=["-p", "spins"])
        self.refused("run", "-p", "spin-park:spins=many", "--", "true", says=["-p", "many"])
        self.refused("run", "--set", "mutex.polcy=spin", "--", "true", says=["--set", "policy"])
        self.refused("run", "--set", "mutex.policy", "--", "true", says=["--set", "=", "record.holds=all"])
        self.refused("run", "--set", "record.max_memory=3 apples", "--", "true", says="--set")

    def test_files(self):
        self.refused("run", "-c", "no-such.ini", "--", "true", says="no-such.ini")
        self.write("bad.ini", "[mutex]\n\npolcy = spin\n")
        self.refused("run", "-c", "bad.ini", "--", "true", says=["bad.ini:3", "policy"])

    def test_environment(self):
        self.refused("run", "--", "true", env=environment(RELOCK_POLICY="natve"), says=["RELOCK_POLICY", "native"])
        self.refused("run", "--", "true", env=environment(RELOCK_POLCY="spin"), says=["RELOCK_POLCY", "RELOCK_POLICY"])


class Operands(Case):
    def test_missing(self):
        self.refused("run", says=["needs", "PROG", "relock run -- "])
        self.refused("run", "-q", "--", says="PROG")
        self.refused("doctor", says="PROG")

    def test_too_many(self):
        self.refused("doctor", "true", "false", says="'false'")
        self.refused("policies", "spin", "native", says="'native'")

    def test_many_options_are_refused_not_dropped(self):
        self.refused("run", *["--set", "mutex.policy=spin"] * 100, "--", "true", says="INI")


class Color(Case):
    """Colour is for terminals, unless asked for; the words are the same."""

    def verdict(self, *arguments, **env):
        return self.relock("doctor", *arguments, CONTEND, env=environment(**env)).stdout

    def test_rules(self):
        plain = self.verdict()
        self.assertNotIn("\033", plain)
        coloured = self.verdict("--color=always")
        self.assertIn("\033[", coloured)
        self.assertEqual(re.sub("\033\\[\\d*m", "", coloured), plain)
        self.assertIn("\033[", self.verdict("--color=always", NO_COLOR="1"))
        self.assertEqual(self.verdict("--color=never"), plain)

    def verdict_on_terminal(self, **env):
        pid, terminal = on_terminal("doctor", CONTEND, env=environment(**env))
        output = b""
        try:
            while chunk := os.read(terminal, 4096):
                output += chunk
        except OSError:
            pass
        os.close(terminal)
        os.waitpid(pid, 0)
        return output

    def test_terminal(self):
        self.assertIn(b"\033[", self.verdict_on_terminal())
        self.assertNotIn(b"\033[", self.verdict_on_terminal(NO_COLOR="1"))


if __name__ == "__main__":
    main()
