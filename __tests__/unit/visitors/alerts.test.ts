import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseAlertRules } from '../../../src/visitors/judge/alerts/alert-rules.ts';
import { checkAlerts } from '../../../src/visitors/judge/alerts/alerts.ts';
import { compareWindows } from '../../../src/visitors/judge/findings.ts';
import { shiftWindow } from '../../../src/visitors/read/window.ts';
import type { WindowRead } from '../../../src/visitors/read/window-read.ts';
import { alertResults } from '../../../src/visitors/write/words/warnings.ts';
import { config, readOf, window } from './site.ts';

describe('parsing alert rules', () => {
  const value = (operator: string, percent: number) => ({ of: 'value', operator, percent });
  const change = (operator: string, percent: number) => ({ of: 'change', operator, percent });
  const range = (...sides: string[]) => ({ of: 'range', sides });
  test.each([
    ['total < -30%', { figure: 'total', condition: change('<', -30), min: 20, project: undefined }],
    ['ai>=+12.5%', { figure: 'ai', condition: change('>=', 12.5) }],
    ['total <= -100%', { condition: change('<=', -100) }],
    ['human > usual min 100', { condition: range('more'), min: 100 }],
    ['total unusual', { condition: range('fewer', 'more') }],
    ['total < 1000', { condition: value('<', 100_000), min: 0 }],
    ['ai-share >= 100%', { condition: value('>=', 100), min: 20 }],
    [
      '  total   <=   0%  min 0  ',
      { condition: change('<=', 0), min: 0, text: 'total   <=   0%  min 0' },
    ],
    ['API: total < 5%', { project: 'API', text: 'total < 5%' }],
    ['  a: b:   human < -5% ', { project: 'a: b', text: 'human < -5%' }],
    ['total: total < 5%', { project: 'total', text: 'total < 5%' }],
    [': total < 5%', { project: '', text: 'total < 5%' }],
  ])('accepts %j', (line, expected) => {
    expect(parseAlertRules(line)).toEqual({
      rules: [expect.objectContaining(expected)],
      mistakes: [],
    });
  });

  test.each([
    [
      'a rule must begin with one of these: total, human, ai, ai-share',
      'totl < -30%|total-x < 5|totalunusual|A: x < 5',
    ],
    [
      'write `unusual`, `< usual`, `> usual`, a number such as `< 1000`, or a change',
      'total|total < -30|total <= usual|ai < 5 max 5|ai < 5 min x|human /g/** < -5%',
    ],
    [
      'after `ai-share`, write a share such as `> 60%`; then',
      'ai-share|ai-share > 60|ai-share > -5%|ai-share > +5%|ai-share >= usual',
    ],
    [
      '`ai-share` has no usual range; write a share such as `> 60%`',
      'ai-share unusual|ai-share < usual|ai-share > usual min 50|A: ai-share unusual',
    ],
    [
      'can never be',
      'total < -100%|ai <= -100.5%|total < 0|ai-share < 0%|ai-share >= 101%|ai-share > 100%',
    ],
  ])('says %j', (mistake, lines) => {
    for (const line of lines.split('|')) {
      const { rules, mistakes } = parseAlertRules(`\r\n${line}\ntotal < 9`);
      expect(rules.map(({ text }) => text)).toEqual(['total < 9']);
      expect(mistakes).toHaveLength(1);
      expect(mistakes[0]).toContain(`\`${line}\` (line 2): `);
      expect(mistakes[0]).toContain(mistake);
    }
  });
});

describe('checking alert rules', () => {
  const check = (
    rules: string,
    now: WindowRead,
    before?: WindowRead,
    earlier: readonly WindowRead[] = [],
  ) => {
    const parsed = parseAlertRules(rules);
    expect(parsed.mistakes).toEqual([]);
    const site = { project: { id: 'acme', name: 'acme' }, now, before, earlier };
    return checkAlerts(parsed.rules, site, compareWindows(site, config));
  };
  const of = (human?: number, ai?: number, total?: number) =>
    readOf([], { totals: { human, ai, total } });
  const week = (total: number) => of(total, 0, total);
  const weeks = (counts: readonly number[], countOf: typeof week) =>
    counts.map((count, index) => ({
      ...countOf(count),
      window: shiftWindow(window, index - counts.length),
    }));
  const [now, before] = [of(60, 50, 100), of(150, 40, 170)];
  const calm = weeks([1010, 990, 1005, 995, 1000, 1008, 992, 1003], (total) =>
    of(0.7 * total, 0.3 * total, total),
  );
  const month = (days: number) => ({ ...week(1000 * days), window: { ...window, days } });

  test.each([
    ['human < -50% min 150', now, before, 'fired'],
    ['human < -50% min 151', now, before, 'quiet'],
    ['ai-share >= 50% min 100', now, undefined, 'fired'],
    ['ai-share >= 50% min 101', now, before, 'quiet'],
    ['total <= 100', now, undefined, 'fired'],
    ['total < 10', week(0), undefined, 'fired'],
    ['total < 10 min 1', week(0), before, 'quiet'],
    // The months are compared as the table shows them.
    ['total > 5%', month(31), month(28), 'fired'],
    ['total unusual', week(700), undefined, 'fired'],
    ['total < usual', week(700), undefined, 'fired'],
    ['total > usual', week(700), undefined, 'quiet'],
    ['total > usual', week(1500), undefined, 'fired'],
    ['total unusual', week(1000), undefined, 'quiet'],
    ['total < usual', week(0), undefined, 'fired'],
    ['total < usual min 2000', week(0), undefined, 'quiet'],
    ['human unusual', of(200, 300, 500), undefined, 'fired'],
    ['human > usual', of(200, 300, 500), undefined, 'quiet'],
    ['human < usual', of(200, 300, 500), undefined, 'fired'],
    ['ai > usual', of(700, 900, 1500), undefined, 'fired'],
    ['ai unusual', of(100, 300, 400), undefined, 'quiet'],
  ])('%s (%#)', (rule, latest, previous, state) => {
    expect(check(rule, latest, previous, calm)).toMatchObject([{ state }]);
  });

  test('about AI aren’t checked against weeks in which the service counted AI differently', () => {
    const august = shiftWindow(window, -14);
    expect(august.start).toBe('2026-08-03');
    const earlier = calm.map((past) => ({ ...past, window: shiftWindow(past.window, -14) }));
    const latest = { ...of(200, 900, 1000), window: august };
    const results = alertResults(
      check('human unusual\nai unusual', latest, latest, earlier),
      august,
    );
    const why = 'there is no usual range: too few earlier periods have a comparable number';
    expect(results).toMatchObject([{ state: 'fired' }, { state: 'unchecked', why }]);
  });

  describe('whose usual range is too wide to tell', () => {
    const wild = weeks([20, 300, 45, 900, 80, 150, 500, 30], (human) => of(human, 1, human));
    const why = 'it varies too much to tell what is usual';

    test.each(['human unusual', 'human < usual', 'total > usual'])('%s isn’t checked', (rule) => {
      const results = alertResults(check(rule, of(600, 1, 600), undefined, wild), window);
      expect(results).toEqual([{ rule, state: 'unchecked', why }]);
    });

    test('fires if the number is outside even so', () => {
      const results = check('human unusual', of(900_000, 1, 900_000), undefined, wild);
      expect(results).toMatchObject([{ state: 'fired' }]);
    });

    test('is quiet if there were fewer visitors than `min`', () => {
      const results = check('human unusual min 900000', of(600, 1, 600), undefined, wild);
      expect(results).toMatchObject([{ state: 'quiet' }]);
    });
  });

  test('is exact at the threshold', () => {
    const figure = fc.integer({ min: 1, max: 100_000 });
    const tenths = fc.integer({ min: -999, max: 3000 });
    fc.assert(
      fc.property(figure, figure, tenths, (a, b, t) => {
        const firing = ['<', '<=', '>', '>='].filter(
          (operator) =>
            check(`total ${operator} ${t / 10}% min 0`, week(a), week(b))[0]?.state === 'fired',
        );
        const [change, limit] = [(a - b) * 1000, t * b];
        const expected =
          change === limit ? ['<=', '>='] : change < limit ? ['<', '<='] : ['>', '>='];
        expect(firing).toEqual(expected);
      }),
      {
        numRuns: 300,
        examples: [
          [107, 100, 70],
          [129, 100, 290],
          [1, 3, -666],
        ],
      },
    );
  });

  const uncounted = of(30, undefined, 30);
  const label = 'Nov 9–15, 2026';
  test.each([
    ['ai < -1%', uncounted, before, `it could not be read for ${label}`],
    ['ai < -1%', now, uncounted, `it could not be read for ${label}`],
    ['ai-share < 1%', uncounted, undefined, `it could not be read for ${label}`],
    ['ai > 5%', now, week(100), 'there were none in the week before'],
    ['ai > 5%', now, undefined, '`compare: none` leaves out earlier periods'],
    [
      'total unusual',
      now,
      undefined,
      'there is no usual range: `compare: none` leaves out earlier periods',
    ],
    ['ai-share > 5%', week(0), before, 'there were no visitors'],
    [
      'ai-share > 1%',
      of(0, 20, 10),
      undefined,
      'the service counted more AI visitors than visitors in total',
    ],
  ])('says why it can’t: %s (%#)', (rule, latest, previous, why) => {
    const results = alertResults(check(rule, latest, previous), window);
    expect(results).toMatchObject([{ state: 'unchecked', why }]);
  });
});
