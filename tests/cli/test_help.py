#!/usr/bin/env python3
"""Help texts and manual page come from one table: they agree, and what they say is accepted."""

import shutil

from harness import *


class Help(Case):
    def test_verbs(self):
        self.assertEqual(verbs(), ["run", "report", "diff", "compare", "reproduce", "policies", "config", "doctor"])
        listed = relock("--help").stdout
        for verb in verbs():
            self.assertRegex(listed, rf"(?m)^  {verb} +\w+")
            done = self.relock(verb, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.startswith(f"Usage: relock {verb}"))

    def test_no_arguments_is_an_error_and_shows_the_help(self):
        done = self.relock()
        self.assertEqual((done.returncode, done.stdout), (OURS, ""))
        self.assertEqual(done.stderr, relock("--help").stdout)

    def test_version(self):
        self.assertRegex(self.relock("--version").stdout, r"^relock \d+\.\d+\.\d+\n$")
        self.assertEqual(self.relock("run", "--version").stdout, self.relock("--version").stdout)

    def test_lines_fit_a_terminal(self):
        for arguments in [["--help"]] + [[verb, "--help"] for verb in verbs()]:
            for line in relock(*arguments).stdout.splitlines():
                if not line.startswith("  relock "):
                    self.assertLessEqual(len(line), 80, line)

    def test_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([COMMAND, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, OURS)
        self.assertIn("stdout", done.stderr)


class Documented(Case):
    """Every spelling the help shows is accepted. --help after it shows the help once all was read without complaint."""

    def accepted(self, verb, *spelling):
        done = self.relock(verb, *spelling, "--help")
        self.assertEqual(done.returncode, 0, f"{verb} {spelling}: {done.stderr}")

    def test_options(self):
        for verb in verbs():
            for option in options(verb):
                with self.subTest(verb=verb, option=option.name):
                    if not option.value:
                        self.accepted(verb, "--" + option.name)
                        if option.letter:
                            self.accepted(verb, "-" + option.letter)
                        continue
                    value = option.sample()
                    self.accepted(verb, "--" + option.name, value)
                    self.accepted(verb, f"--{option.name}={value}")
                    if option.letter:
                        self.accepted(verb, "-" + option.letter, value)
                        self.accepted(verb, f"-{option.letter}{value}")
                    for choice in option.choices:
                        self.accepted(verb, "--" + option.name, choice)

    def test_option_examples(self):
        for verb in verbs():
            for option in options(verb):
                if option.example.startswith("-"):
                    self.accepted(verb, *shlex.split(option.example))

    def test_values_are_checked(self):
        for verb in verbs():
            for option in options(verb):
                if option.choices:
                    wrong = option.choices[-1] + "x"
                    self.refused(verb, "--" + option.name, wrong,
                                 says=[f"'{wrong}'", f"nearest: '{option.choices[-1]}'", option.choices[0]])

    def test_examples(self):
        self.assertTrue(examples("--help"))
        for verb in verbs():
            shown = examples(verb, "--help")
            self.assertTrue(shown, verb)
            for command in shown + [e for e in examples("--help") if e[0] == verb]:
                self.assertEqual(command[0], verb)
                self.accepted(verb, *[word for word in command[1:command.index("--") if "--" in command else None]])


class Manual(Case):
    def setUp(self):
        super().setUp()
        self.source = relock("--man").stdout

    def test_names_everything(self):
        plain = self.source.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "").replace("\\(aq", "'").replace("\\e", "\\")
        for verb in verbs():
            self.assertIn(f".SS relock {verb}\n", plain)
            section = plain[plain.index(f".SS relock {verb}\n"):]
            section = section[:section.index("\n.S", 4)]
            for option in options(verb):
                letter = f"-{option.letter}, " if option.letter else ""
                value = f" {option.value}" if option.value else ""
                self.assertIn(f".TP\n{letter}--{option.name}{value}\n", section)
                self.assertIn(option.example, section)
        for name in re.findall(r"^\s*;?\s*(\w+) = ", relock("config", "--default").stdout, re.M):
            self.assertRegex(plain, rf"\.TP\n\w+\.{name}\b")

    def test_no_line_is_taken_for_a_macro(self):
        known = {"TH", "SH", "SS", "PP", "TP", "B", "BR", "br"}
        for line in self.source.splitlines():
            if line[:1] in (".", "'"):
                self.assertIn(line[1:].split(" ")[0], known, line)
        self.assertTrue(self.source.isascii())

    def test_formats_without_warnings(self):
        page = self.write("relock.1", self.source)
        env = environment(LC_ALL="C.UTF-8", MANWIDTH="80", MANROFFSEQ="")
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", page], env=env, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=LIMIT_S)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("relock run [OPTION...] [--] PROG [ARG...]", done.stdout)
        if shutil.which("mandoc"):
            lint = subprocess.run(["mandoc", "-Tlint", "-Werror", page], capture_output=True, text=True, timeout=LIMIT_S)
            self.assertEqual(lint.returncode, 0, lint.stdout)

    def test_built_page_is_this_one(self):
        with open(os.path.join(BUILD, "cli", "relock.1")) as file:
            self.assertEqual(file.read(), self.source)


if __name__ == "__main__":
    main()
