#!/usr/bin/env python3
"""Names that are not what names should be: markup, control characters, formulas, bytes that are no text, shell commands.

A program chooses what it, its threads, files and symbols are called, and a recording may have been made by anyone. No format lets
a name be more than a name. Most recordings here are one real recording of a harmless program whose names were replaced by others as
long, in it and in the program: only names differ, so nothing else may differ in what is made of them.
"""

import collections
import csv
import io
import json
import struct

from harness import *
from openmetrics import parse
from page import Page, UNSEEN

NAMED = os.path.join(FIXTURES, "named")
DIRECTORY = "harmless_directory_of_programs"
PROGRAM = "harmless_program_with_a_long_name_of_fifty_letters"
THREADS = ["harmless_thread", "harmless_second", "harmless_third_"]
ARGUMENT = "harmless_argument_that_is_a_rather_long_name"
FUNCTION, VARIABLE = "harmless_function", "harmless_variable"
# What each becomes, filled up to its length.
HOSTILE = {
    DIRECTORY: b"<script>alert(1)<",
    PROGRAM: b"script>\"'&]]>--><!--\x1b[31m\x07\xff\xfe\xc2\x9b31m\xe2\x80\xae",
    THREADS[0]: b"=1+1&<b>\"'",
    THREADS[1]: b"@SUM(\x1b]0;x\x07",
    THREADS[2]: b"\xff\xc0\x80\xed\xa0\x80\xef\xbf\xbf\x9b<i>",
    ARGUMENT: b"</title><img src=x onerror=alert(1)>\r\n\x7f",
    # What is between < and > are a template's arguments, which are left out.
    FUNCTION: b"-&\"'>\x1bc\x85",
    VARIABLE: b"+\"x='y'&\x1bc>",
    "named.c": b"<&\"'>.c",
}
PAGE, USED = 4096, 32  # struct rlk_header, as far as it is needed
FORMATS = ("text", "json", "csv", "html", "folded", "openmetrics")
BY = ("lock", "class", "site", "thread")


def written(path):
    """Of a recording, which is a large file with little in it."""
    with open(path, "rb") as file:
        header = file.read(PAGE)
        return header + file.read(struct.unpack_from("Q", header, USED)[0] - PAGE)


class Names(Case):
    WAYS = [(form, by) for form in FORMATS for by in {"json": BY[:1], "folded": BY[:3]}.get(form, BY)]

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.mkdtemp(prefix="relock-cli-")
        cls.addClassCleanup(shutil.rmtree, cls.home, True)
        cls.program = os.path.join(cls.home, DIRECTORY, PROGRAM)
        os.mkdir(os.path.dirname(cls.program))
        shutil.copy(NAMED, cls.program)
        for name, *options in (("run.rlk",), ("other.rlk", "-p", "spin-park:spins=10")):
            # A thread cannot have the whole of a name that long; as an argument it stands in the recording.
            relock("run", "-q", "-o", name, *options, "--", cls.program, *THREADS, ARGUMENT, cwd=cls.home).check_returncode()
        cls.native, cls.spinning = os.path.join(cls.home, "run.rlk"), os.path.join(cls.home, "other.rlk")
        cls.recording = written(cls.native)
        cls.harmless = {way: cls.report(cls.native, *way) for way in cls.WAYS}

    @staticmethod
    def report(recording, form, by):
        return relock("report", "--format", form, "--by", by, "--stacks", "--rules", recording, text=False,
                      env=environment(LC_ALL="C.UTF-8"))

    def replace(self, names, recording="hostile.rlk"):
        """The recording, and the program where it says that is, with other names."""
        with open(NAMED, "rb") as file:
            content, program = self.recording, file.read()
        path = self.program.encode()
        for name, hostile in names.items():
            wide = hostile.ljust(len(name), b"_")
            self.assertEqual(len(wide), len(name), name)
            content, program, path = (text.replace(name.encode(), wide) for text in (content, program, path))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.write(os.fsdecode(path), program, 0o755)
        return self.write(recording, content)

    def texts(self, names):
        recording = self.replace(names)
        for way in self.WAYS:
            done = self.report(recording, *way)
            self.assertEqual(done.returncode, 0, done.stderr)
            # Valid UTF-8, or this raises.
            text = done.stdout.decode()
            self.assertFalse(UNSEEN.search(text + done.stderr.decode()), (way, UNSEEN.search(text)))
            yield way, text, self.harmless[way].stdout.decode()


class Shown(Names):
    def test_markup_stays_text(self):
        for names in [HOSTILE] + [{name: hostile} for name, hostile in HOSTILE.items()]:
            for (form, _), text, harmless in self.texts(names):
                if form == "html":
                    page, before = Page(text), Page(harmless)
                    self.assertEqual(collections.Counter(page.tags), collections.Counter(before.tags))
                    self.assertEqual([len(row) for row in sum(page.tables.values(), [])],
                                     [len(row) for row in sum(before.tables.values(), [])])

    def test_labels_stay_labels(self):
        for (form, by), text, harmless in self.texts(HOSTILE | {VARIABLE: b"v\\\",x=\"\n"}):
            if form == "openmetrics":
                shape = [[(family, kind, [[name for name, _ in labels] for labels in samples]) for family, (kind, samples) in
                          parse(page).items()] for page in (text, harmless)]
                self.assertEqual(*shape)

    def test_folded_stacks_stay_as_deep(self):
        names = HOSTILE | {FUNCTION: b"a;b;c\n7", PROGRAM: b";x 1;\ny", VARIABLE: b"v;;w\n5"}
        for (form, by), text, harmless in self.texts(names):
            if form == "folded":
                lines, before = ([line.rsplit(" ", 1) for line in t.splitlines()] for t in (text, harmless))
                self.assertEqual([(stack.count(";"), weight) for stack, weight in lines],
                                 [(stack.count(";"), weight) for stack, weight in before])
                self.assertIn("a,b,c\\x0a7", text)

    def test_it_is_there_to_see(self):
        """Escaping is not leaving out."""
        recording = self.replace(HOSTILE)
        page = Page(self.report(recording, "html", "thread").stdout.decode())
        self.assertIn("script>\"'&]]>--><!--\\x1b[31m\\x07\\xff\\xfe\\xc2\\x9b31m\\xe2\\x80\\xae____", page.title)
        self.assertIn("<script>alert(1)<_____________/script>", page.said("program")[0])
        self.assertIn("</title><img src=x onerror=alert(1)>\\x0d\\x0a\\x7f", page.said("command")[0])
        threads = [row[1] for row in page.tables["Threads"]]
        for name in ("=1+1&<b>\"'_____", "@SUM(\\x1b]0;x\\x07____", "\\xff\\xc0\\x80\\xed\\xa0\\x80\\xef\\xbf\\xbf\\x9b<i>__"):
            self.assertIn(name, threads)
        text = self.report(recording, "html", "lock").stdout.decode()
        self.assertIn("&lt;&amp;&quot;&#39;&gt;.c:", text)
        self.assertIn("+&quot;x=&#39;y&#39;&amp;\\x1bc&gt;", text)
        self.assertIn("-&amp;&quot;&#39;&gt;\\x1bc\\x85", text)

    def test_json_has_the_names_themselves(self):
        recording = self.replace(HOSTILE)
        report, before = (json.loads(text) for text in (self.report(recording, "json", "lock").stdout,
                                                        self.harmless["json", "lock"].stdout))
        command = report["recordings"][0]["command"].encode()
        self.assertIn(HOSTILE[ARGUMENT], command)
        names = [thread["name"] for thread in report["threads"]]
        self.assertIn("@SUM(\x1b]0;x\x07____", names)
        self.assertIn("\ufffd" * 6 + "\uffff\ufffd<i>__", names)
        self.assertEqual(report["totals"], before["totals"])

    def test_csv_cells_are_no_formulas(self):
        for (form, by), text, harmless in self.texts(HOSTILE):
            if form != "csv":
                continue
            rows, before = list(csv.reader(io.StringIO(text))), list(csv.reader(io.StringIO(harmless)))
            self.assertEqual([len(row) for row in rows], [len(row) for row in before])
            for cell in sum(rows, []):
                self.assertFalse(cell[:1] in "=+-@" and cell[:1], cell)
            if by == "thread":
                self.assertIn("'=1+1&<b>\"'_____", [row[0] for row in rows])
                self.assertIn("'@SUM(\\x1b]0;x\\x07____", [row[0] for row in rows])
            if by == "class":
                self.assertTrue(any(cell.startswith("'+\"x=") for cell in sum(rows, [])), rows)

    def test_formulas_of_every_kind(self):
        for name, cell in ((b"=cmd|x", "'=cmd|x"), (b"-1+1", "'-1+1"), (b"-1.50000", "-1.50000"), (b"+12", "+12"), (b"@x", "'@x"),
                           ("＝1".encode(), "'＝1"), (b"a=b", "a=b"), (b"'=1", "'=1")):
            # NUL ends a thread's name.
            done = self.report(self.replace({THREADS[0]: name.ljust(len(THREADS[0]), b"\0")}), "csv", "thread")
            self.assertIn(cell, [row[0] for row in csv.reader(io.StringIO(done.stdout.decode()))])


class Typed(Names):
    """The last line is to be typed: it does what it says."""

    def last(self, *arguments):
        done = self.relock(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()[-1]

    def test_commands_that_are_more_than_words(self):
        self.assertIn(f" -- {self.program} ", self.last("diff", self.spinning, self.native))
        for more in (b"a; touch x", b"$(touch x)", b"`touch x`", b"a 'b", b"a | b", b"\\a"):
            path = self.replace({ARGUMENT: more})
            self.assertEqual(self.last("diff", self.spinning, path), f"next     relock report --stacks {path}")
            report = json.loads(self.relock("report", "--format", "json", path).stdout)
            self.assertEqual([advice for advice in report["advice"] if "touch" in (advice["command"] or "")], [])
        self.assertIn("'a; b'__", self.last("diff", self.spinning, self.replace({ARGUMENT: b"'a; b'"})))

    def test_policies_that_are_more_than_words(self):
        content = written(self.spinning)
        for part in (b";$(\x1b[", b"; rm -f"):
            path = self.write("b.rlk", content.replace(b"spins=10", part.ljust(8)))
            line = self.last("diff", self.native, path)
            words = shlex.split(line)
            self.assertIn(" -p 'spin-park:;", line)
            self.assertEqual(words[:6], ["next", "relock", "compare", "-p", "native", "-p"])
            self.assertTrue(words[6].startswith("spin-park:;"), words)
            self.assertFalse(UNSEEN.search("".join(words)))


class Real(Case):
    """Nothing replaced: a program that is called so."""

    def test_run(self):
        os.mkdir(self.path("<script>alert(1)<"))
        program = os.path.join(os.fsencode(self.path("<script>alert(1)<")), b"script>\"'&\x1b[31m\xff")
        shutil.copy(NAMED, program)
        names = [b"<b>\x1b]0;x\x07\xff", b"=1+1", b"\"' onload='x", b"&lt;&#60;", b"]]>-->"]
        done = self.relock("run", "-o", "run.rlk", "--stacks", "--rules", "--", program, *names, text=False,
                           env=environment(LC_ALL="C.UTF-8"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(UNSEEN.search(done.stderr.decode()))
        for by in BY:
            done = self.relock("report", "--format", "html", "--by", by, "--stacks", "--rules", "run.rlk")
            page = Page(done.stdout)
            self.assertIn("script>\"'&\\x1b[31m\\xff", page.title)
            self.assertIn("'<b>\\x1b]0;x\\x07\\xff'", page.said("command")[0])
            self.assertIn("/<script>alert(1)</script>", page.said("program")[0])
        for name in ("<b>\\x1b]0;x\\x07\\xff", "=1+1", "\"' onload='x", "&lt;&#60;", "]]>-->"):
            self.assertIn(name, [row[1] for row in page.tables["Threads"]])
        self.assertEqual(json.loads(self.relock("report", "--format", "json", "run.rlk").stdout)["warnings"], [])


if __name__ == "__main__":
    main()
