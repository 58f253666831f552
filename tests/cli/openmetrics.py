"""Reads OpenMetrics text, strictly, as far as relock writes it."""

import decimal
import re

NAME = r"[a-z_][a-z0-9_]*"
LABEL = rf'({NAME})="((?:[^"\\\n]|\\\\|\\"|\\n)*)"'


def parse(text):
    """{family: (type, {sample's labels: value})}; raises where the standard would."""
    assert text.endswith("\n# EOF\n") and text.count("# EOF") == 1
    families, family, kind = {}, None, None
    for line in text.splitlines()[:-1]:
        if match := re.fullmatch(rf"# TYPE ({NAME}) (counter|gauge|info)", line):
            family, kind = match.groups()
            assert family not in families, family
            families[family] = (kind, {})
        elif match := re.fullmatch(rf"# (UNIT|HELP) ({NAME}) (.+)", line):
            assert match[2] == family and not families[family][1], line
            assert match[1] != "UNIT" or family.endswith("_" + match[3]), line
        else:
            match = re.fullmatch(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\d+(?:\.\d+)?)", line)
            assert match, line
            assert match[1] == family + {"counter": "_total", "gauge": "", "info": "_info"}[kind], line
            labels = tuple(re.findall(LABEL, match[2] or ""))
            assert len({name for name, _ in labels}) == len(labels) and labels not in families[family][1], line
            families[family][1][labels] = decimal.Decimal(line.rsplit(" ", 1)[1])
    return families
