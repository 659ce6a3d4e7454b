"""Makes weeks of made-up sites, and what the reference implementation says about them, as lines of JSON.

usage: generate.py FOLDER_OF_RULE7 WEEKS SEED [small]

What is gone is `find_gone`'s to say: rule7 misses pages that break in mid-week.

A case: `kind` of its periods; `paths`; `windows`, oldest first, each `null` (unread) or `[people on the site, rows read, people by
page]` (`-1`: not listed; rows read: `0` is all); `changed`: pages, each with the place of the window in which it changed; and `says`.
AI visitors follow from the people, see `ai_of`. With `small`, sites are small enough for a file in the repository, and half
of the weeks are close to an edge of the rule.
"""
import calendar
import json
import math
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import rule7

COUNT, SEED, SMALL = int(sys.argv[2]), int(sys.argv[3]), "small" in sys.argv
KINDS = ["last-week"] * 6 + ["last-month"] * 2 + ["last-4-weeks"] * 2


def ai_of(people, page, window):
    """Some pages have more AI than people."""
    return people // 3 + (page * 7 + window * 3) % 5 + (40 if page % 11 == 10 else 0)


def days_of(kind, windows):
    """The lengths of the periods, oldest first. The last month is October 2026."""
    if kind != "last-month":
        return [28 if kind == "last-4-weeks" else 7] * windows
    months = [(2026 * 12 + 9 - age) for age in range(windows)]
    return [calendar.monthrange(m // 12, m % 12 + 1)[1] for m in months][::-1]


def draw_paths(rng, pages, sections):
    paths = [f"/s{i % sections}/p{i}" for i in range(pages)]
    if rng.random() < .3:
        paths[0] = "/"
    if pages > 2 and rng.random() < .3:
        paths[1] = "/s0"
    return paths


def draw_people(rng, windows, pages, days, sections):
    """Drifting, bursting pages; some change for good."""
    size = rng.choice([.5, 1, 1, 3]) * np.exp(rng.normal(4, .8, pages))
    mu = np.tile(size, (windows, 1)) * np.array(days)[:, None] / days[-1]
    swing, own = rng.choice([0, .05, .3]), rng.choice([0, .05, .1, .3])
    mu *= np.exp(np.cumsum(rng.normal(0, swing / 3, windows)))[:, None] * np.exp(rng.normal(0, own, mu.shape))
    if rng.random() < .3:
        mu[-2:] *= np.exp(rng.normal(0, rng.choice([0, .3]), pages))
    for i in rng.choice(pages, min(pages, int(rng.integers(0, 4))), replace=False):
        mu[-int(rng.choice([1, 2, 2, 3, 4])):, i] *= rng.choice([0, .2, .5, 1.5, 2, 5])
    for i in rng.choice(pages, min(pages, int(rng.integers(0, 3))), replace=False):
        mu[int(rng.integers(0, windows)), i] *= rng.choice([0, 8])
    if rng.random() < .4:
        mu[-2:, ::sections] *= rng.choice([.4, .6, 1.6])
    return rng.poisson(mu)


def draw_case(rng):
    kind = str(rng.choice(KINDS))
    windows = int(rng.choice([2, 5, 6, 7, 9, 11] + [14] * 8))
    pages = int(rng.choice([1, 3, 8] + [11, 12, 14] * 2 if SMALL else [1, 8, 12, 14, 40, 120]))
    days, sections = days_of(kind, windows), int(rng.integers(1, 4))
    paths, people = draw_paths(rng, pages, sections), draw_people(rng, windows, pages, days, sections)
    # A page without people is still listed if AI reads it, and sometimes if no one does.
    listed = (people > 0) | (rng.random(people.shape) < .5)
    for i in rng.choice(pages, min(pages, int(rng.integers(0, 3))), replace=False):
        first = int(rng.integers(1, windows)) if windows > 1 else 0
        listed[:first, i] = rng.random() < .1
        people[:first, i] *= listed[:first, i]
    paths, people, listed = move_pages(rng, paths, people, listed)
    cuts = [0] * windows
    if rng.random() < .25:
        whole = int(rng.choice([0, 0, 2, 6]))
        for w in range(windows - whole):
            cuts[w] = max(2, int(rng.choice([.3, .6, .8]) * pages)) if rng.random() < .8 else 0
    sums = people.sum(1)
    totals = [int(s * rng.uniform(.5, .9)) if rng.random() < .95 else int(s * .2) for s in sums]
    if rng.random() < .3:
        totals = [t // 50 for t in totals]
    unread = [w < windows - 1 and rng.random() < rng.choice([0, 0, 0, .05, .2]) * (.3 if w == windows - 2 else 1) for w in range(windows)]
    silent = rng.integers(0, windows) if rng.random() < .1 else -1
    given = []
    for w in range(windows):
        if w == silent and w < windows - 1:
            given.append([0, 0, [-1] * len(paths)])
        elif unread[w]:
            given.append(None)
        else:
            given.append([totals[w], cuts[w], [int(p) if on else -1 for p, on in zip(people[w], listed[w])]])
    return dict(kind=kind, paths=paths, windows=[read_rows(g, w) for w, g in enumerate(given)]), days


def move_pages(rng, paths, people, listed):
    """Some pages get a new path, by a slash at the end or in another section, sometimes too late, or beside a rival."""
    windows = len(people)
    for i in rng.choice(len(paths), min(len(paths), int(rng.integers(0, 3))), replace=False):
        if rng.random() < .5 or paths[i] in ("/", "/s0"):
            continue
        w = int(rng.integers(max(1, windows - 4), windows + 1))
        start = max(0, w + int(rng.choice([-1, 0, 0, 0, 1])))
        after, on = people[:, i].copy(), listed[:, i].copy()
        after[:start], on[:start] = 0, False
        people[w:, i], listed[w:, i] = 0, False
        new = [paths[i] + "/"] if rng.random() < .4 else [f"/new/p{i}", f"/rival/p{i}"][: 1 + int(rng.random() < .2)]
        paths = paths + new
        for _ in new:
            people, listed = np.c_[people, after], np.c_[listed, on]
    return paths, people, listed


def read_rows(window, w):
    """Of a cut list, only the first rows are known."""
    if window is None or not window[1]:
        return window
    human, rows, people = window
    all_visitors = [p + ai_of(p, i, w) if p >= 0 else -1 for i, p in enumerate(people)]
    order = sorted(range(len(people)), key=lambda i: (-all_visitors[i], i))
    kept = [i for i in order if all_visitors[i] >= 0][:rows]
    if len(kept) < rows or len(kept) == sum(p >= 0 for p in people):
        return [human, 0, people]
    return [human, rows, [p if i in kept else -1 for i, p in enumerate(people)]]


def is_ranked(window, w):
    """Whether a cut list can be seen to be sorted: equal counts show no order."""
    totals = [p + ai_of(p, i, w) for i, p in enumerate(window[2]) if p >= 0]
    return not window[1] or max(totals) > min(totals)


def gather(case, days):
    """The lists that can be compared, as matrices whose columns are pages: rows that differ in a final slash are one."""
    columns, names = {}, []
    for path in case["paths"]:
        key = path if path == "/" else path.removesuffix("/")
        columns.setdefault(key, len(columns))
        names.append(key)
    reads = [w for w, window in enumerate(case["windows"]) if window and any(p > 0 for p in window[2]) and is_ranked(window, w)]
    last = len(case["windows"]) - 1
    whole = [w for w in reads if not case["windows"][w][1]]
    has_last = lambda some: last in some and last - 1 in some
    if has_last(whole) and (len(whole) >= 6 or not (has_last(reads) and len(reads) >= 6)):
        used, is_whole = whole, True
    elif has_last(reads):
        used, is_whole = reads, False
    else:
        return None
    people, listed = np.zeros((len(used), len(columns))), np.zeros((len(used), len(columns)), bool)
    cut, shown = np.zeros(len(used)), [""] * len(columns)
    for row, w in enumerate(used):
        scale = days[-1] / days[w]
        best, totals = {}, []
        for i, p in enumerate(case["windows"][w][2]):
            if p < 0:
                continue
            column, total = columns[names[i]], p + ai_of(p, i, w)
            people[row, column] += p
            listed[row, column] = True
            totals.append(total)
            if total > best.get(column, -1):
                best[column], shown[column] = total, case["paths"][i]
        people[row] *= scale
        if case["windows"][w][1]:
            cut[row] = scale * min(totals)
    return dict(people=people, listed=listed, cut=cut, paths=shown, used=used, whole=is_whole)


def find_gone(people):
    """No one now, but ten people in the week before; or some then, and ten in all but one of the n >= 4 weeks before."""
    before, last, now = people[:-2], people[-2], people[-1]
    usual = (len(before) >= 4) & ((before < rule7.LEAST).sum(0) <= 1)
    return np.flatnonzero((now < 1) & (last > 0) & ((last >= rule7.LEAST) | usual))


def section_of(path, paths):
    parts = [s for s in path.split("/") if s]
    if len(parts) >= 2 or any(other.startswith(f"{path}/") and len(other) > len(path) + 1 for other in paths if parts):
        return f"/{parts[0]}"
    return "/"


def tenths(value):
    return math.floor(10 * value + .5) / 10


def judge(case, days, rng):
    """What rule7 says about a case."""
    windows = case["windows"]
    past = [w[0] * days[-1] / d for w, d in zip(windows[:-1], days) if w and w[0] > 0]
    usual = rule7.usual(past[-12:], windows[-1][0])
    says = dict(usual=usual and [usual["low"], usual["high"], usual["verdict"]])
    case["changed"] = []
    given = gather(case, days)
    if given is None:
        return says
    people, listed, paths = given["people"], given["listed"], given["paths"]
    moves = rule7.moved(people, listed, paths) if given["whole"] else []
    people, listed = rule7.join_moved(people, moves), listed.copy()
    for a, b in moves:
        listed[:, b] |= listed[:, a]
        listed[:, a] = False
    kept = [p for i, p in enumerate(paths) if i not in {a for a, _ in moves}]
    names = [section_of(p, kept) for p in paths]
    order = {name: s for s, name in enumerate(dict.fromkeys(names))}
    if given["whole"]:
        result = rule7.stands_out(people, [order[name] for name in names])
        new, gone = rule7.new_and_gone(people, listed)[0], find_gone(people)
        is_young = None not in windows and len(past) < 4 <= len(windows) - 1
        says["new"] = None if is_young or len(people) < 3 else sorted(paths[i] for i in new)
        says["gone"] = sorted(paths[i] for i in gone)
        says["moves"] = sorted([paths[a], paths[b]] for a, b in moves)
    else:
        result = rule7.stands_out(people, None, listed, given["cut"])
    says["judged"] = result.m["page"]
    says["level"] = math.floor(1e9 * result.level[-2] + .5) / 1e9
    rows = [(r, paths[r.index] if r.kind == "page" else list(order)[r.index]) for r in result.named]
    says["named"] = sorted([r.kind, name, r.side, *r.shown["weeks"], r.shown["low"], r.shown["high"]] for r, name in rows)
    says["whole"], says["weeks"] = given["whole"], len(given["used"]) - 2
    if given["whole"]:
        says["changed"] = judge_changed(case, given, people, listed, {i for pair in moves for i in pair}, rng)
    return says


def judge_changed(case, given, people, listed, moved, rng):
    """Some pages change in one of the weeks."""
    used, first = given["used"], {}
    enough = [place for place in range(4, len(used) - 2)]
    places = enough if enough and rng.random() < .8 else list(range(1, len(used) - 1))
    for i in rng.permutation(people.shape[1])[:6]:
        if places and i not in moved and listed[:, i].any() and given["paths"][i].count("/") == 2:
            first[int(i)] = int(rng.choice(places))
    case["changed"] = [[given["paths"][i], used[place]] for i, place in first.items()]
    out = []
    for i, o in rule7.changed(people, first).items():
        before, since = tenths(o["before"]), tenths(o["since"])
        if before >= 10 or since >= 10:
            out.append([given["paths"][i], o["became"], before, since])
    return sorted(out)


def is_close(case, days, seed):
    """Whether another number somewhere in the rule would change what it says."""
    def says():
        return json.dumps(judge(dict(case), days, np.random.default_rng(seed)))

    plain = says()
    for name, other in dict(OFFSET=32., OWN=.7, CALM_T=1.4, CHANCE=.09, LEAST=11., HALF=.53).items():
        usual = getattr(rule7, name)
        setattr(rule7, name, other)
        differs = plain != says()
        setattr(rule7, name, usual)
        if differs:
            return True
    return False


rng = np.random.default_rng(SEED)
left = COUNT
while left > 0:
    case, days = draw_case(rng)
    seed = int(rng.integers(2**31))
    # Half of the small cases are close to an edge of the rule.
    if SMALL and left % 2 and not is_close(case, days, seed):
        continue
    case["says"] = judge(case, days, np.random.default_rng(seed))
    print(json.dumps(case, separators=(",", ":")))
    left -= 1
