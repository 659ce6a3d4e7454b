"""Draws the sites of some rows of TABLE.md, the same ones as simulate7.py, and says what the rule names on them.

usage: table.py FOLDER_OF_SIMULATE7 SITES

Prints a line of JSON for each row of the table: its label and shares of 100, as in the last column; and then one for each report:
`[people, AI]` of each page by week, the section of each page, and the names of the pages and sections that stand out.
"""
import json
import sys

folder, sites = sys.argv[1:3]
sys.argv = ["simulate7.py", sites, "2027"]
sys.path.insert(0, folder)
import numpy as np
import rule7
import simulate7

ROWS = [
    ("quiet, 60 pages, cv12: a false name", "quiet", (60, "cv12")),
    ("quiet, 60 pages, real25: a false name", "quiet", (60, "real25")),
    ("one page of 100 people ×2, plain: week 1, by week 2", "power", (120, 100, 2, "plain")),
    ("one page of 100 people ×2, real: week 1, by week 2", "power", (120, 100, 2, "real")),
    ("one page of 100 people ×0.5, plain: week 1, by week 2", "power", (120, 100, .5, "plain")),
    ("people only: 100 ÷2 (AI 30% stays), plain", "power", (120, 100, .5, "plain", 1, "people")),
    ("section of ten pages of 40 people ×0.75: week 1, by week 2", "section", (40, .75)),
    ("crawl of 40 of 120 pages: anything named that week, the week after", "crawl", (40,)),
    ("AI burst of 300 on one page: anything named that week, the week after", "crawl", (1,)),
    ("two-week holiday ×0.5 felt differently, 60 pages: a name in week 1, 2, after 1, 2", "holiday", (60, (.5, .45, 1, 1), (0, 1, 2, 3))),
]
reports = []


def judge(total, people, week, sections):
    """In place of the rules that the table compares: only the last one, on twelve weeks with the week before."""
    weeks = slice(week - 12, week + 1)
    people, ai = people[weeks], (total - people)[weeks]
    named = [[r.kind, r.index] for r in rule7.stands_out(people.astype(float), sections).named]
    reports.append(dict(people=people.tolist(), ai=ai.tolist(), sections=sections.tolist(), named=sorted(named)))
    pages, parts = np.zeros(people.shape[1], bool), np.zeros(sections.max() + 1, bool)
    for kind, index in named:
        (pages if kind == "page" else parts)[index] = True
    return [(pages, parts)]


simulate7.all_rules, simulate7.C = judge, 1
for label, name, arguments in ROWS:
    reports.clear()
    shares = np.atleast_1d(getattr(simulate7, name)(*arguments)).reshape(-1)
    print(json.dumps(dict(label=label, shares=", ".join(f"{share:.0f}" for share in shares), reports=len(reports))))
    for report in reports:
        print(json.dumps(report, separators=(",", ":")))
