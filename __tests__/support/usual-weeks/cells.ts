import { slowChange, usualShare, usualTotal } from '../../../src/visitors/judge/usual.ts';
import { countOf, type Random, randomOf, swingOf } from './random.ts';
import { namedIn, playSite, type Reading, type SiteSetting } from './sites.ts';

/** How much pages and the whole site vary, as in the simulation that the rule was chosen by. */
const variations: readonly Omit<SiteSetting, 'pages'>[] = [
  { spread: 0, swing: 0 },
  { spread: 0.1, swing: 0.03 },
  { spread: 0.15, isVaried: true, swing: 0.04 },
  { spread: 0.2, isVaried: true, swing: 0.05 },
  { spread: 0.3, isVaried: true, swing: 0.05, tide: 0.3 },
];

/** Every site that is simulated, of these numbers of pages. */
export function sitesOf(sizes: readonly number[]): SiteSetting[] {
  return sizes.flatMap((pages) => [
    ...variations.flatMap((variation) =>
      [0, 1, 6].map((moves) => ({ pages, ...variation, moves })),
    ),
    { pages, spread: 0.1, swing: 0.03, isViral: true },
    { pages, spread: 0.1, swing: 0.03, launched: 40 },
  ]);
}

/** Simulates that many sites: their eight weeks, the week of the change, and the next one, in which the change lasts. */
export function playCell(setting: SiteSetting, sites: number) {
  const random = randomOf(seedOf(setting));
  const sums = { falseWeeks: 0, falseNames: 0, first: 0, second: 0, changed: 0 };
  for (let site = 0; site < sites; site += 1) {
    const { weeks, changed } = playSite(setting, random);
    const reading = { sections: Math.max(3, Math.min(12, Math.floor(setting.pages / 10))) };
    const [one, two] = [namedIn(weeks.slice(0, -1), reading), namedIn(weeks.slice(1), reading)];
    const [first, second] = [one.pages, two.pages];
    const isTouched = (section: number) =>
      changed.values().some((page) => page % reading.sections === section) ||
      setting.launched !== undefined;
    const wrongSections = one.sections.filter((section) => !isTouched(section));
    const wrong = first.filter((page) => !changed.has(page));
    sums.falseWeeks += Number(wrong.length + wrongSections.length > 0);
    sums.falseNames += wrong.length;
    sums.first += first.filter((page) => changed.has(page)).length;
    sums.second += new Set([...first, ...second].filter((page) => changed.has(page))).size;
    sums.changed += changed.size;
  }
  const percent = (count: number, of: number) => (of === 0 ? undefined : (100 * count) / of);
  return {
    setting,
    /** Of 100 weeks, those in which a page was named that hadn't changed. */
    falseWeeks: (100 * sums.falseWeeks) / sites,
    falseNames: sums.falseNames / sites,
    /** Of 100 pages that changed, those named in the first week, and by the second. */
    first: percent(sums.first, sums.changed),
    second: percent(sums.second, sums.changed),
  };
}

/** Of 100 events, how often each of the things that `look` sees happens, in the week of the event and the next. */
export function shareOf(
  play: (random: Random) => readonly (readonly number[])[],
  reading: Reading,
  look: (
    week: ReturnType<typeof namedIn>,
    next: ReturnType<typeof namedIn>,
  ) => readonly (boolean | number)[],
  times: number,
): number[] {
  const random = randomOf(seedOf({ reading, play: String(play), look: String(look) }));
  const sums: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const weeks = play(random);
    const seen = look(namedIn(weeks.slice(0, -1), reading), namedIn(weeks.slice(1), reading));
    for (const [index, share] of seen.entries()) sums[index] = (sums[index] ?? 0) + Number(share);
  }
  return sums.map((sum) => Math.round((100 * sum) / times));
}

/** The settings of a site whose totals are drawn at random. */
export interface TotalSetting {
  readonly total: number;
  readonly swing: number;
  readonly growth?: number;
  /** What consecutive earlier weeks are multiplied by. */
  readonly odd?: readonly number[];
}

/** Every site whose totals are simulated. */
export const totalSettings: readonly TotalSetting[] = [200, 3000, 50_000].flatMap((total) =>
  [0, 0.03, 0.05, 0.1].flatMap((swing) => [
    { total, swing },
    { total, swing, growth: 0.05 },
    { total, swing, odd: [0.6] },
    { total, swing, odd: [0.3, 0.5] },
  ]),
);

/** Of 100 weeks whose total is multiplied by `change`, those called out. */
export function calledOut(setting: TotalSetting, change: number, weeks: number): number {
  const random = randomOf(seedOf({ ...setting, change }));
  let called = 0;
  for (let week = 0; week < weeks; week += 1) {
    const { before, now } = playTotals(setting, change, random);
    called += Number(usualTotal(before, now)?.side !== 'usual');
  }
  return (100 * called) / weeks;
}

/** Of 100 weeks, those in which a change of the total over four weeks is said. */
export function sayingSlow(setting: TotalSetting, weeks: number): number {
  const random = randomOf(seedOf({ ...setting, isSlow: true }));
  let said = 0;
  for (let week = 0; week < weeks; week += 1) {
    const { before, now } = playTotals(setting, 1, random);
    said += Number(slowChange(before, now) !== undefined);
  }
  return (100 * said) / weeks;
}

/** Of 100 quiet weeks, those in which the AI share is called out. */
export function sharesCalledOut(setting: TotalSetting, weeks: number): number {
  const random = randomOf(seedOf(setting));
  let called = 0;
  for (let week = 0; week < weeks; week += 1) {
    const [ai, people] = [0.3, 0.7].map((part) => {
      const { before, now } = playTotals({ ...setting, total: part * setting.total }, 1, random);
      return [...before, now];
    });
    const shares = (ai ?? []).map((part, index) => ({
      part,
      whole: part + (people?.[index] ?? 0),
    }));
    const now = shares.pop() ?? { part: 0, whole: 1 };
    called += Number(usualShare(shares, now)?.side !== 'usual');
  }
  return (100 * called) / weeks;
}

export function playTotals(
  { total, swing, growth = 0, odd = [] }: TotalSetting,
  change: number,
  random: Random,
) {
  const first = Math.floor(7 * random());
  const draw = (week: number) => {
    const factor = week === 8 ? change : (odd[week - first] ?? 1);
    return countOf(total * (1 + growth) ** week * factor * swingOf(swing ** 2, random), random);
  };
  const before = Array.from({ length: 8 }, (_, week) => draw(week));
  return { before, now: draw(8) };
}

/** The mean of the known figures. */
export function meanOf(figures: readonly (number | undefined)[]): number {
  const known = figures.filter((figure) => figure !== undefined);
  return known.reduce((sum, figure) => sum + figure, 0) / known.length;
}

/** An FNV-1a hash, so that each setting gets different random numbers. */
function seedOf(setting: object): number {
  return Array.from(JSON.stringify(setting)).reduce(
    (hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619),
    2026,
  );
}
