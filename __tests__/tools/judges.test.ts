import { describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { BOT_LOGIN, DEFAULT_TOKEN } from '../../simulator/github/store.ts';
import type { Comment } from '../../simulator/github/types.ts';
import { nameOf, runHeader } from '../support/in-process/life.ts';
import type { MemoryRun } from '../support/in-process/play.ts';
import { type MemoryPlayer, memoryPlayer } from '../support/in-process/player.ts';
import type { Month } from '../support/months/happenings.ts';
import { problemsIn } from '../support/months/model.ts';
import type { Played } from '../support/played.ts';
import { type Happening, untroubled } from '../support/threads/happenings.ts';
import { ThreadModel } from '../support/threads/model.ts';

/*
 * Generated threads and months are only as good as their judges. Here, a run does something wrong at its end, and its judge must
 * notice. Without that, the same thread or month is right.
 */

type Core = MemoryPlayer['core'];

interface Lie {
  readonly core: Core;
  readonly run: MemoryRun;
  readonly played: Played;
}

/** Does something wrong. What it returns replaces what people see of the run. */
type Tell = (lie: Lie) => Promise<unknown> | Partial<Played>;

/** A player whose nth run lies. */
function lyingPlayer(nth: number, tell: Tell): MemoryPlayer {
  const player = memoryPlayer();
  let runs = 0;
  const play = async (run: MemoryRun) => {
    const played = await player.play(run);
    runs += 1;
    if (runs === nth) Object.assign(played, await tell({ core: player.core, run, played }));
    return played;
  };
  return { ...player, play };
}

/** Sends a request as a run does. */
async function send(
  { core, run }: Lie,
  method: 'POST' | 'PATCH',
  url: string,
  body: Readonly<Record<string, string>>,
): Promise<void> {
  const isGitHub = url.startsWith(core.githubUrl);
  const headers = {
    authorization: `Bearer ${isGitHub ? DEFAULT_TOKEN : run.inputs['api-key']}`,
    'content-type': 'application/json',
    'user-agent': 'a liar',
    [runHeader]: nameOf(run),
  };
  const { dispatcher } = core;
  await request(url, { dispatcher, method, headers, body: JSON.stringify(body) });
}

const ask = (prompt: string) => (lie: Lie) => {
  const { url, service } = lie.core;
  return send(lie, 'POST', `${url}/v2/agent/${service.projectId}/job`, { prompt });
};

/** The newest comment of the action. */
function newestIn({ github }: Core): Comment {
  const newest = github.comments.findLast(({ login, deleted }) => login === BOT_LOGIN && !deleted);
  if (newest === undefined) throw new Error('There is no comment to lie in.');
  return newest;
}

const edit = (change: (body: string) => string) => (lie: Lie) => {
  const { id, body } = newestIn(lie.core);
  return send(lie, 'PATCH', `${lie.core.github.json.repoUrl}/issues/comments/${id}`, {
    body: change(body),
  });
};

const postCopy = (lie: Lie) => {
  const { number, body } = newestIn(lie.core);
  return send(lie, 'POST', `${lie.core.github.json.repoUrl}/issues/${number}/comments`, { body });
};

const sayAsking = edit((body) => body.replace(/^\S+ \*\*.*$/m, '⏳ **Asking the writing agent…**'));
const sayUnsent = edit((body) => body.replace(/^\S+ \*\*.*$/m, '❌ **Nothing was sent.**'));

/** Ends red, as if it didn't know whether the service had got the request. */
const seeRed: Tell = ({ played }) => {
  const ending = { outcome: 'failed', reason: 'unconfirmed' };
  const outputs = { ...played.outputs, ...ending, result: JSON.stringify(ending) };
  return { exitCode: 1, outputs };
};

const nameAnotherJob: Tell = ({ played }) => {
  return { outputs: { ...played.outputs, 'job-id': 'job_9999' } };
};

const course = { activeMs: 12_000 };
const asked: Happening = {
  kind: 'command',
  words: '/docs',
  by: 'maintainer',
  course,
  ...untroubled,
};
const rerun: Happening = { kind: 're-run', which: 0, course, ...untroubled };
const twice: Happening = {
  kind: 'two workflows',
  words: '/docs',
  by: 'maintainer',
  course,
  ...untroubled,
};
const touched = (how: 'hidden' | 'deleted'): Happening => {
  return { kind: 'comment touched', which: 0, how };
};
/** Between the claim and the next request. */
const deletedAtOnce: Happening = {
  ...asked,
  touched: { kind: 'touch', n: 1, phase: 'arrived', how: 'deleted' },
};
const suspended: Happening = {
  ...asked,
  mishap: {
    kind: 'sleep',
    n: 9,
    phase: 'arrived',
    ms: 120_000,
    isClockPaused: false,
    meanwhile: 'nothing',
  },
};

describe('in a thread, the judge notices', () => {
  const threads: [string, Happening[], number, Tell, string][] = [
    ['a second job', [asked, rerun], 2, ask('prompt 0.'), 'prompt 0. was sent again'],
    [
      'a second job after a person hid the comment',
      [asked, touched('hidden'), rerun],
      2,
      ask('prompt 0.'),
      'prompt 0. was sent again',
    ],
    [
      'two more jobs after a person deleted the comment',
      [asked, touched('deleted'), rerun],
      2,
      ask('prompt 0.'),
      'prompt 0. was sent again',
    ],
    [
      'a job after the claim was deleted',
      [deletedAtOnce],
      1,
      ask('prompt 0.'),
      'prompt 0. was sent after its claim had been deleted',
    ],
    [
      'a second job of a suspended run',
      [suspended],
      1,
      ask('prompt 0.'),
      'prompt 0. was sent again',
    ],
    [
      'a job that isn’t its own',
      [suspended],
      1,
      nameAnotherJob,
      'outputs of prompt 0. name job_9999',
    ],
    ['a red run that had lost', [twice], 2, seeRed, 'ends as failed (unconfirmed)'],
    ['a comment that stays at work', [asked], 2, sayAsking, 'at rest, prompt 0. stays at ⏳'],
    ['a comment that denies a job', [asked], 2, sayUnsent, 'at rest, prompt 0. was sent, and'],
    ['a second comment', [asked], 2, postCopy, 'at rest, prompt 0. has 2 status comments'],
    [
      'a comment that is written again and again',
      [asked],
      3,
      sayAsking,
      'a second collect run sends PATCH',
    ],
  ];
  test.each(threads)('%s', async (_, happenings, nth, tell, problem) => {
    expect(await new ThreadModel().play(happenings)).toEqual([]);
    const problems = await new ThreadModel(lyingPlayer(nth, tell)).play(happenings);
    expect(problems).toContainEqual(expect.stringContaining(problem));
  });
});

describe('in a month, the judge notices', () => {
  const luck = { ...untroubled, course, wait: 'true' } as const;
  const command = (who: number, words: '/docs' | '/docs --new' = '/docs') =>
    ({ kind: 'command', who, which: 0, isOnAgents: false, words, beside: 'no one', luck }) as const;
  const month = (...happenings: Month['happenings'][number]['happening'][]): Month => ({
    happenings: happenings.map((happening) => ({ afterMs: 60_000, happening })),
    cap: { max: 2, per: 'day' },
    mayEditInLocked: true,
    isCollectedWhenOpened: false,
  });
  const months: [string, Month, number, Tell, string][] = [
    ['a second job', month(command(1)), 1, ask('request 0.'), 'request 0. was sent again'],
    ['a job for a stranger', month(command(15)), 1, ask('request 0.'), 'request 0. was sent'],
    [
      'a red run for a stranger',
      month(command(15)),
      1,
      seeRed,
      'a run is red: failed (unconfirmed)',
    ],
    [
      'a request beyond the cap',
      month(command(1, '/docs --new'), command(2, '/docs --new'), command(3, '/docs --new')),
      3,
      ask('request 2.'),
      'request 2. was sent although the cap was reached',
    ],
    ['a comment that stays at work', month(command(1)), 2, sayAsking, 'a comment stays at ⏳'],
    [
      'a collect run that fails',
      month({ kind: 'collect', luck }),
      1,
      seeRed,
      'collecting ends as failed',
    ],
    [
      'a comment that is written again and again',
      month(command(1)),
      3,
      sayAsking,
      'a second collect run sends PATCH',
    ],
  ];
  test.each(months)('%s', async (_, happenings, nth, tell, problem) => {
    expect(await problemsIn(happenings)).toEqual([]);
    const problems = await problemsIn(happenings, lyingPlayer(nth, tell));
    expect(problems).toContainEqual(expect.stringContaining(problem));
  });
});
