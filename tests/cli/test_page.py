#!/usr/bin/env python3
"""relock report --format html: one page that loads nothing and says what the text says, with the same figures as JSON."""

import json

from harness import *
from page import Page

NAMED = os.path.join(FIXTURES, "named")
LOCKS = 12  # of that program


class Html(Case):
    def setUp(self):
        super().setUp()
        done = self.run_quietly(NAMED, "one", "two", "three", "four", options=("-o", "run.rlk"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def report(self, *arguments, form="html", recording="run.rlk"):
        done = self.relock("report", "--format", form, *arguments, recording, env=environment(LC_ALL="C.UTF-8"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return Page(done.stdout) if form == "html" else json.loads(done.stdout) if form == "json" else done.stdout


class Same(Html):
    def test_header_and_coverage_are_the_texts(self):
        page, lines = self.report(), self.report(form="text").splitlines()
        self.assertEqual("relock · " + page.headings[0] + " · " + page.paragraphs[0], lines[0])
        self.assertEqual(page.paragraphs[1:3], lines[1:3])
        self.assertEqual(page.title, page.headings[0] + " - relock")
        self.assertRegex(page.title, r"^named · pid \d+ - relock$")
        for line in lines:
            if match := re.match(r"(covered|advice|warning) +(.*)", line):
                self.assertIn(match[2], page.said(match[1]))
        self.assertEqual(page.code, [lines[-1].removeprefix("next     ")])

    def test_rows_are_the_texts(self):
        page = self.report("-n", "3", "--rules", "--stacks")
        lines = self.report("-n", "3", "--rules", "--stacks", form="text").splitlines()
        rows = [row for row in page.tables["Locks"] if len(row) > 2]
        self.assertEqual([row[0] for row in rows], ["#", "1", "2", "3", "…"])
        printed = {" ".join(re.sub("[█]", "", line).split()) for line in lines}
        for row in rows[1:]:
            self.assertIn(" ".join(" ".join(row[:-1]).split()), printed)
        # The text has the bar only, in tenths.
        for row, line in zip(rows[1:4], [l for l in lines if re.match(r" ?[123]  harmless_variable", l)]):
            self.assertAlmostEqual(float(row[-1].rstrip("%").lstrip("<")), 10 * line.count("█"), delta=5.1)
        for kept in page.stacks[0].splitlines()[:3]:
            self.assertIn(kept.strip(), [line.strip() for line in lines])

    def test_tables_by(self):
        for by, title in (("lock", "Locks"), ("class", "Classes of locks"), ("site", "Places"), ("thread", "Threads")):
            page = self.report("--by", by)
            self.assertEqual(next(heading for heading in page.headings[1:] if heading != "Advice"), title)
            self.assertGreater(len(page.tables[title]), 1)
        self.assertEqual(sorted(row[1] for row in page.tables["Threads"][1:] if row[1] != "named"), ["four", "one", "three", "two"])

    def test_totals_are_those_of_json(self):
        page, whole = self.report(), self.report(form="json")
        rows = page.tables["Locks"][1:]
        self.assertEqual(len(rows), LOCKS)
        acquired = [lock["acquired"] for lock in whole["locks"]]
        self.assertEqual([row[3] for row in rows], [str(count) for count in acquired])
        self.assertEqual(sum(acquired), whole["totals"]["acquired"])
        self.assertEqual(sum(int(row[3]) for row in page.tables["Who waited for whom"][1:]), sum(p["count"] for p in whole["pairs"]))

    def test_rows_asked_for(self):
        self.assertEqual(len(self.report("-n", "0").tables["Locks"]), 1 + LOCKS)
        page = self.report("-n", "2")
        self.assertEqual([row[0] for row in page.tables["Locks"]], ["#", "1", "2", "…"])
        self.assertEqual(len(page.tables["Who waited for whom"]), 1 + 2)
        self.assertIn("… 3 more", self.report("-n", "2", "--by", "thread").paragraphs)

    def test_several_recordings(self):
        self.run_quietly(NAMED, "one", options=("-o", "other.rlk"))
        self.run_quietly(NAMED, "one", "two", options=("-o", "third.rlk"))
        page = Page(self.relock("report", "--format", "html", ".").stdout)
        self.assertEqual(page.headings[0], "3 recordings of named")
        self.assertEqual(len(page.said("command")), 3)

    def test_nothing_waited_for(self):
        self.run_quietly(NAMED, "alone", options=("-o", "alone.rlk"))
        page = self.report(recording="alone.rlk")
        self.assertIn("only pthread and C11 locks are seen", page.paragraphs[2])

    def test_in_any_locale(self):
        plain = self.relock("report", "--format", "html", "run.rlk", env=environment(LC_ALL="C"), text=False).stdout
        self.assertEqual(plain, self.relock("report", "--format", "html", "run.rlk", env=environment(LC_ALL="C.UTF-8"), text=False).stdout)

    def test_where_it_comes_from(self):
        self.run_quietly(NAMED, "one", "two words", options=("-o", "other.rlk", "-p", "spin-park:spins=7"))
        page = self.report(recording="other.rlk")
        self.assertEqual(page.said("command"), [f"{NAMED} one 'two words'"])
        self.assertIn("spin-park", " ".join(page.said("setting")))
        self.assertRegex(page.said("started")[0], r"^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC$")


class Alone(Html):
    """It can be sent, opened anywhere, and read by whoever cannot see it."""

    def setUp(self):
        super().setUp()
        self.page = self.report("--stacks", "--rules")
        self.attributes = {tag: dict(attributes) for tag, attributes in self.page.tags}

    def test_loads_nothing(self):
        text = self.relock("report", "--format", "html", "--stacks", "run.rlk").stdout
        self.assertFalse(re.search(r"(?i)https?:|\bsrc=|\bhref=|url\(|@import|<script", text))
        policy = next(dict(a)["content"] for t, a in self.page.tags if t == "meta" and ("http-equiv", "Content-Security-Policy") in a)
        self.assertEqual(policy.split("; ")[0], "default-src 'none'")
        self.assertNotIn("script", policy)

    def test_declares_language_and_characters(self):
        self.assertEqual(self.attributes["html"], {"lang": "en"})
        self.assertIn(("meta", (("charset", "utf-8"),)), self.page.tags[:4])

    def test_headings_of_tables(self):
        for tag, attributes in self.page.tags:
            if tag == "th":
                self.assertIn(dict(attributes)["scope"], ("col", "row"))
        for title, rows in self.page.tables.items():
            self.assertNotIn("", rows[0], title)
            self.assertTrue(title)
        self.assertEqual(len([h for t, h in self.page.tags if t == "h1"]), 1)

    def test_tables_scroll(self):
        scrolls = [dict(a) for t, a in self.page.tags if t == "div" and ("class", "scroll") in a]
        self.assertEqual([s["aria-label"] for s in scrolls], list(self.page.tables))
        self.assertEqual({s["tabindex"] for s in scrolls}, {"0"})

    def test_every_row_has_all_columns(self):
        for title, rows in self.page.tables.items():
            for row in rows:
                self.assertIn(len(row), (len(rows[0]), 2), title)
        below = {dict(a).get("colspan") for t, a in self.page.tags if t == "td"} - {None}
        self.assertEqual(below, {str(len(self.page.tables["Locks"][0]) - 1)})

    def test_verdicts_have_words(self):
        for tag, attributes in self.page.tags:
            if ("class", "verdict") in attributes:
                self.assertEqual(tag, "div")
        self.assertNotIn("\033", self.relock("report", "--format", "html", "--color=always", "run.rlk").stdout)


if __name__ == "__main__":
    main()
