"""The rule of docs/visitors-method.md ("Pages and sections"), as in the simulation that it was chosen by. Needs numpy and scipy.

Reads one JSON object a line: `weeks` (a count a page; oldest first, this week last), `section` (of each page), and `rows`, if only
so many of the most-read pages of each week were read. Prints the pages and sections that stand out, and the new pages.
"""
import json
import sys

import numpy as np
from scipy import stats

FLOOR, LEAST, PRIOR, LARGE = 20, 10, 8, 50
PAGES_Q, PREFIX_Q, SECTIONS_Q, FEWEST, UNLEVELED, KEPT = 0.15, 0.1, 0.05, 14, 0.008, 0.5


# The rule. `now` has one count per page; `hist` has one row per week before, oldest first.
def levels(now, hist):
    """How much each week before is scaled: the median ratio of large pages; None with fewer than ten of them."""
    large = (hist.mean(0) >= LARGE) & (now >= 1)
    return np.median(now[large] / np.maximum(1, hist[:, large]), axis=1) if large.sum() >= 10 else None


def calm(weeks):
    """One odd week is left out: if exactly one is above three times the median and 20, it counts as the median."""
    median = np.median(weeks, axis=0)
    odd = weeks > 3 * median + 20
    return np.where(odd & (odd.sum(0) == 1), median, weeks)


def look(now, weeks, k, judged, least):
    """The mean of the last k weeks against the weeks before: difference, two-sided tail, and whether it is worth telling: ten visitors
    or more and, for two weeks, this one kept half of the change of the last one. `least` is the smallest spread."""
    value = now if k == 1 else (now + weeks[-1]) / 2
    earlier = calm(weeks[: len(weeks) + 1 - k])
    n = len(earlier)
    base, own = earlier.mean(0), earlier.var(0, ddof=1)
    noise = np.maximum(1, base)
    excess = ((own - noise) / noise**2)[judged]
    spread = max(least, np.median(excess) / 0.9) if len(excess) else least
    variance = np.maximum(noise, (PRIOR * (noise + spread * base**2) + (n - 1) * own) / (PRIOR + n - 1))
    diff = value - base
    tail = 2 * stats.t.sf(abs(diff) / np.sqrt(variance * (1 / n + np.maximum(1, value / noise) / k)), PRIOR + n - 1)
    change, before = (now - base) * np.sign(diff), (weeks[-1] - base) * np.sign(diff)
    return diff, tail, (abs(diff) >= LEAST) & ((k == 1) | ((before > 0) & (change >= KEPT * before)))


def measure(now, hist, level, young):
    """Which rows are judged, their tails (1: may not be named), and the differences that decide."""
    y = hist if level is None else hist * level[:, None]
    least = 0.01 if level is None else 0
    judged = (np.maximum(now, y.mean(0)) >= FLOOR) & ~young
    tail, diff, by = np.ones(len(now)), np.zeros((2, len(now))), np.zeros(len(now), int)
    for k in (1, 2):
        diff[k - 1], t, ok = look(now, y, k, judged, least)
        ok &= judged & (now >= 1) & (t <= 0.05)
        if level is not None:
            raw_diff, raw_tail, raw_ok = look(now, hist, k, judged, least)
            ok &= raw_ok & (raw_tail <= UNLEVELED) & (np.sign(raw_diff) == np.sign(diff[k - 1]))
        by[ok & (t < tail)] = k - 1
        tail = np.where(ok, np.minimum(t, tail), tail)
    return judged, tail, diff, by


def choose(judged, tail, q):
    """Benjamini-Hochberg at q over the judged rows, as if there were at least FEWEST of them."""
    order = np.where(judged)[0][np.argsort(tail[judged])]
    passing = np.where(tail[order] <= q * (np.arange(len(order)) + 1) / max(FEWEST, len(order)))[0]
    named = np.zeros(len(tail), bool)
    named[order[: passing[-1] + 1 if len(passing) else 0]] = True
    return named & (tail < 1)


def stand_out(now, hist, section, q=PAGES_Q):
    """The pages, and the sections, that stand out."""
    now, hist = now.astype(float), hist.astype(float)
    level = levels(now, hist)
    judged, tail, diff, _ = measure(now, hist, level, (hist[:-3] == 0).all(0))
    pages = choose(judged, tail, q)
    member = np.zeros((len(now), section.max() + 1))
    member[np.arange(len(now)), section] = 1
    total, before = now @ member, hist @ member
    judged, tail, whole, by = measure(total, before, level, (before[:-3] == 0).all(0))
    s = np.arange(len(total))
    side = np.sign(whole[by, s])
    largest = (member * (diff[by[section], np.arange(len(now))] * side[section])[:, None]).max(0)
    tail[largest >= abs(whole[by, s]) / 2] = 1  # one page is the reason
    return pages, choose(judged, tail, SECTIONS_Q)


def fresh(now, hist):
    """New pages: none in all but the last three weeks, fewer than ten in each of those, ten or more now."""
    return (hist[:-3] == 0).all(0) & (hist < 10).all(0) & (now >= 10)


def prefix(weeks, rows=250):
    """Lists of which only the first rows were read, now last. Kept: pages in every list, in every list but now's, and in now's list only;
    a page that a list lacks counts as that list's last row."""
    top = np.sort(weeks, axis=1)[:, -rows]
    seen = weeks > top[:, None]  # rows that tie with the last one may be on either side
    kept = np.where(seen[:-1].all(0) | (seen[-1] & ~seen[:-1].any(0)))[0]
    return kept, np.where(seen, weeks, top[:, None])[:, kept]


for line in sys.stdin:
    given = json.loads(line)
    weeks, section = np.array(given["weeks"]), np.array(given["section"])
    if given["rows"] is None:
        pages, sections = stand_out(weeks[-1], weeks[:-1], section)
        found = [np.where(named)[0] for named in (pages, sections, fresh(weeks[-1], weeks[:-1]))]
    else:
        kept, seen = prefix(weeks, given["rows"])
        found = [kept[stand_out(seen[-1], seen[:-1], np.arange(len(kept)), PREFIX_Q)[0]], np.array([]), np.array([])]
    print(json.dumps([sorted(map(int, names)) for names in found]))
