"""Reads a page of `relock report --format html`, strictly: what is open is closed, and it is XML as well."""

import html.parser
import re
import xml.etree.ElementTree

VOID = {"meta"}
# What the writer writes; a page has no other tag and no other attribute, whatever it is about.
TAGS = {"html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "h1", "h2", "p", "div", "table", "wbr",
        "thead", "tbody", "tr", "th", "td", "span", "svg", "rect", "details", "summary", "pre", "code", "dl", "dt", "dd"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "name", "content", "class", "scope", "role", "tabindex", "aria-label", "aria-hidden",
              "viewbox", "preserveaspectratio", "x", "width", "height", "colspan"}
# Of a comparison's drawing.
TAGS |= {"figure", "text", "line", "circle"}
ATTRIBUTES |= {"xmlns", "font-family", "font-size", "fill", "y", "text-anchor", "x1", "x2", "y1", "y2", "stroke", "stroke-width", "cx",
               "cy", "r"}


class Page(html.parser.HTMLParser):
    """tags: (name, attributes) in order. paragraphs: texts of p. tables: rows of cells, each by its title. terms: (dt, dd)."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.texts = [], [], []
        self.paragraphs, self.tables, self.terms, self.headings, self.title, self.code, self.stacks = [], {}, [], [], "", [], []
        xml.etree.ElementTree.fromstring(text)
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        assert tag in TAGS and {name for name, _ in attributes} <= ATTRIBUTES, (tag, attributes)
        self.tags.append((tag, tuple(attributes)))
        if tag in VOID:
            return
        self.open.append(tag)
        self.texts.append("")
        if tag == "table":
            self.tables[self.headings[-1]] = []
        if tag == "tr":
            self.tables[self.headings[-1]].append([])

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()
        text = self.texts.pop()
        if self.texts:
            self.texts[-1] += text if tag not in ("style", "title") else ""
        words = " ".join(text.split())
        if tag == "p":
            self.paragraphs.append(words)
        elif tag in ("h1", "h2"):
            self.headings.append(words)
        elif tag in ("th", "td"):
            self.tables[self.headings[-1]][-1].append(words)
        elif tag == "title":
            self.title = words
        elif tag == "code":
            self.code.append(text)
        elif tag == "pre":
            self.stacks.append(text)
        elif tag in ("dt", "dd"):
            self.terms.append((words,) if tag == "dt" else (self.terms.pop()[0], words))

    def handle_data(self, data):
        if self.texts:
            self.texts[-1] += data

    def handle_comment(self, data):
        raise AssertionError(data)

    def handle_pi(self, data):
        raise AssertionError(data)

    def handle_decl(self, data):
        assert data == "DOCTYPE html", data

    def unknown_decl(self, data):
        raise AssertionError(data)

    def said(self, term):
        return [text for name, text in self.terms if name == term]


# What no format prints but as an escape: what moves a cursor, and what hides or reorders text.
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff\U000e0000-\U000e007f]")
