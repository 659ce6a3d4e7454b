import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeMistake, parseAlertRules } from '../../../src/visitors/judge/alert-rules.ts';
import type { EarlierWindow, WindowRead } from '../../../src/visitors/read/window-read.ts';
import { siteOf, weeksWith } from './rendered.ts';
import { readOf, row, window } from './site.ts';

describe('parsing alert rules', () => {
  test.each([
    ['total < -30%', { subject: 'total', glob: undefined, operator: '<', threshold: -30, min: 20 }],
    ['human /guides/** < -50% min 50', { subject: 'human', glob: '/guides/**', threshold: -50, min: 50 }],
    ['human > usual min 100', { operator: '>', threshold: 'usual', min: 100 }],
    ['total <= -100%', { threshold: -100 }],
    ['ai-share >= 100%', { threshold: 100 }],
    ['ai>=+12.5%', { subject: 'ai', operator: '>=', threshold: 12.5 }],
    ['  total   <=   0%  min 0  ', { operator: '<=', threshold: 0, min: 0, text: 'total   <=   0%  min 0' }],
    ['API: total < 5%', { project: 'API', text: 'total < 5%' }],
    ['  a: b:   human /x:y < -5% ', { project: 'a: b', text: 'human /x:y < -5%' }],
    ['total: total < 5%', { project: 'total', text: 'total < 5%' }],
    ['ai /a: ai-share > 5%', { project: 'ai /a', text: 'ai-share > 5%' }],
    [': total < 5%', { project: '', text: 'total < 5%' }],
    ['human /a:total < 5%', { project: undefined, text: 'human /a:total < 5%' }],
    ['ai /total:* < 5%', { project: undefined, text: 'ai /total:* < 5%' }],
  ])('accepts %j', (line, expected) => {
    const { rules, mistakes } = parseAlertRules(line);
    expect(mistakes).toEqual([]);
    expect(rules).toEqual([expect.objectContaining(expected)]);
  });

  test.each([
    ['totl < -30%', 1, 'totl'],
    ['total', 6, ''],
    ['total < -30', 9, '-30'],
    ['total < -100%', 9, '-100%'],
    ['human /a <= -100.5%', 13, '-100.5%'],
    ['ai-share < 0%', 12, '0%'],
    ['ai-share > 100%', 12, '100%'],
    ['ai-share >= 101%', 13, '101%'],
    ['total <= usual', 10, 'usual'],
    ['ai /a < usual', 9, 'usual'],
    ['ai-share < usual', 12, 'usual'],
    ['ai-share > -5%', 12, '-5%'],
    ['human /guides/[ < -5%', 7, '/guides/['],
    ['total < -30% max 5', 14, 'max'],
    ['total < -30% min x', 18, 'x'],
    ['   total < 5', 12, '5'],
    ['API: total < 5', 14, '5'],
  ])('rejects %j at column %d', (text, column, got) => {
    const { rules, mistakes } = parseAlertRules(text);
    expect(rules).toEqual([]);
    expect(mistakes).toEqual([expect.objectContaining({ line: 1, column, got })]);
  });

  test('reports each mistake with its line, and keeps the other rules', () => {
    const { rules, mistakes } = parseAlertRules('total < -30%\n\r\nhuman <\nai-share > 60%\nx');
    expect(rules.map(({ text }) => text)).toEqual(['total < -30%', 'ai-share > 60%']);
    expect(mistakes.map(describeMistake)).toEqual([
      'line 3, column 8: expected a change such as -30%, but the line ends',
      'line 5, column 1: expected one of total, human, ai, ai-share, but found `x`',
    ]);
  });
});

describe('checking alert rules', () => {
  const check = (rules: string, now: WindowRead, before?: WindowRead, earlier: EarlierWindow[] = []) => {
    expect(parseAlertRules(rules).mistakes).toEqual([]);
    return siteOf(now, before, { rules, earlier }).alerts[0];
  };
  const week = (total: number) => readOf([], { totals: { human: total, ai: 0, total } });
  const now = readOf([row('/guides/a', 20, 5), row('/guides/b', 90, 5), row('/api', 10, 30)], {
    totals: { human: 60, ai: 50, total: 100 },
  });
  const before = readOf([row('/guides/a', 60, 5)], { totals: { human: 150, ai: 40, total: 170 } });

  test('compares the site’s totals', () => {
    expect(check('human < -50%', now, before)).toMatchObject({
      state: 'fired',
      hits: [{ path: undefined, figure: { part: -90, whole: 150 }, now: 60, before: 150 }],
    });
  });

  test('needs no earlier window for the AI share', () => {
    const [half, most] = [check('ai-share >= 50%', now), check('ai-share /** > 60%', now)];
    expect(half).toMatchObject({ state: 'fired', hits: [{ figure: { part: 50, whole: 100 } }] });
    expect(most).toMatchObject({ hits: [{ path: '/api', figure: { part: 30, whole: 40 } }] });
  });

  const month = (days: number, total = 1000 * days) => ({ ...week(total), window: { ...window, days } });
  const uncounted = readOf([{ path: '/a', human: 30, total: 30 }], { totals: { human: 30, total: 30 } });
  test.each([
    ['human /a < -1%', uncounted, uncounted, 'quiet'],
    ['human < -50% min 150', now, before, 'fired'],
    ['human < -50% min 151', now, before, 'quiet'],
    ['ai-share /** > 60% min 41', now, undefined, 'quiet'],
    // Months of different lengths are also compared per day.
    ['total < -5%', month(28), month(31), 'quiet'],
    ['total > 5%', month(31), month(28), 'quiet'],
    ['total < -40%', month(28, 14_000), month(31), 'fired'],
  ])('depends on `min` and on the days of a month: %j (%#)', (rule, latest, previous, state) => {
    expect(check(rule, latest, previous)?.state).toBe(state);
  });

  test('is exact at the threshold', () => {
    const figure = fc.integer({ min: 1, max: 100_000 });
    const tenths = fc.integer({ min: -999, max: 3000 });
    fc.assert(
      fc.property(figure, figure, tenths, (a, b, t) => {
        const firing = ['<', '<=', '>', '>='].filter(
          (operator) => check(`total ${operator} ${t / 10}% min 0`, week(a), week(b))?.state === 'fired',
        );
        const [change, limit] = [(a - b) * 1000, t * b];
        const expected = change === limit ? ['<=', '>='] : change < limit ? ['<', '<='] : ['>', '>='];
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

  test('compares with the usual range once there is one', () => {
    const weeks = weeksWith([980, 1010, 1000, 990, 1005, 995]);
    expect(check('total < usual', week(700), undefined, weeks)).toMatchObject({
      state: 'fired',
      hits: [{ now: 700, usual: { side: 'fewer' } }],
    });
    expect(check('total < usual', week(990), undefined, weeks)?.state).toBe('quiet');
    expect(check('total > usual', week(700), undefined, weeks)?.state).toBe('quiet');
    expect(check('human > usual', week(1500), undefined, weeks)?.state).toBe('fired');
    const unknown = { state: 'unchecked', why: 'there is no usual range yet' };
    expect(check('total < usual', week(700), undefined, weeks.slice(3))).toMatchObject(unknown);
  });

  const notCounted = 'the service did not count it';
  const impossible = readOf([], { totals: { human: 0, ai: 20, total: 10 } });
  const orTooMany = 'or more AI visitors than visitors in total, which is impossible';
  test.each([
    ['total /api > 5%', now, before, 'there were none in the previous period'],
    ['ai < -1%', uncounted, before, notCounted],
    ['ai < -1%', now, uncounted, `${notCounted} for the previous period`],
    ['ai-share < 1%', uncounted, undefined, notCounted],
    ['ai /** < -1%', uncounted, before, `${notCounted} on every page`],
    ['ai-share /** < 1%', uncounted, before, `${notCounted} on every page`],
    ['ai-share > 5%', week(0), before, 'there were no visitors'],
    ['ai-share > 1% min 0', impossible, undefined, `there were no visitors, ${orTooMany}`],
  ])('does nothing without usable figures: %j (%#)', (rule, latest, previous, why) => {
    expect(check(rule, latest, previous)).toMatchObject({ state: 'unchecked', why });
  });
});
