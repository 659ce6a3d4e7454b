import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { Access, Capabilities, WebhookEvent } from '../../simulator/github/types.ts';
import { DEFAULT_PROJECT } from '../../simulator/service/service.ts';
import { openChangeStage } from '../support/bundle/change-stage.ts';
import {
  closeThreadStages,
  type ThreadRun,
  type ThreadStage,
  warnings,
} from '../support/bundle/thread-stage.ts';
import { leaveOpen } from '../support/scenarios/left-open.ts';

/*
 * The workflows in `examples/`, as far as they are this action's: each does what it is there for with the permissions that it
 * has, and lacks something without any one of them.
 */

const folder = fileURLToPath(new URL('../../examples/', import.meta.url));

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly permissions?: Partial<Capabilities>;
  readonly steps: readonly { readonly uses?: string; readonly with?: Readonly<Record<string, unknown>> }[];
}

/** A repository, what happens in it, and how the run is to end. */
interface Scene {
  readonly outcome: string;
  readonly sha?: string;
  readonly event: WebhookEvent;
}

type Change = Awaited<ReturnType<typeof openChangeStage>>;

const scenes: Readonly<Record<string, readonly ((change: Change) => Scene)[]>> = {
  'prompt.yml': [
    ({ github }) => ({
      outcome: 'pr-created',
      event: github.workflowDispatchEvent({ prompt: 'A quickstart.' }),
    }),
  ],
  'slash-command.yml': [
    (change) => ({
      outcome: 'pr-created',
      event: command(change, change.stage.simulator.github.addThread().number),
    }),
    (change) => ({ outcome: 'pr-created', event: command(change, change.open()) }),
  ],
  'docs-command-nowait.yml': [
    (change) => ({ outcome: 'detached', event: command(change, change.github.addThread().number) }),
    (change) => ({ outcome: 'detached', event: command(change, change.open()) }),
  ],
  'docs-collect.yml': [
    (change) => {
      leaveOpen(change.stage.simulator, { thread: change.github.addThread().number });
      change.stage.simulator.clock.advance(3_600_000);
      return { outcome: 'collected', event: change.github.scheduleEvent() };
    },
    (change) => {
      const thread = change.open();
      leaveOpen(change.stage.simulator, { thread });
      change.stage.simulator.clock.advance(3_600_000);
      return { outcome: 'collected', event: change.github.pullRequestEvent(thread) };
    },
  ],
  'docs-on-merge.yml': [
    (change) => ({ outcome: 'pr-created', event: change.merge([change.open()]) }),
    (change) => ({ outcome: 'pr-created', event: change.push() }),
    (change) => ({ outcome: 'skipped', event: change.push({ files: { 'docs/retry.md': 'Three.\n' } }) }),
  ],
  'docs-on-release.yml': [
    (change) => {
      change.release('v1');
      change.push();
      return { outcome: 'pr-created', event: change.release('v2') };
    },
  ],
  'docs-weekly-sweep.yml': [
    (change) => {
      change.stage.simulator.clock.advance(8 * 86_400_000);
      change.merge([change.open()]);
      const { sha } = change.github.git.find('main');
      return { outcome: 'pr-created', sha, event: change.github.scheduleEvent() };
    },
  ],
  'weekly-report.yml': [({ github }) => ({ outcome: 'reported', event: github.scheduleEvent() })],
  'weekly-report-projects.yml': [
    ({ github, stage }) => {
      stage.simulator.service.addProject({ ...DEFAULT_PROJECT, id: secondProject });
      github.addThread({ number: reportIssue });
      return { outcome: 'reported', event: github.scheduleEvent() };
    },
  ],
  'weekly-report-thread.yml': [
    ({ github }) => {
      github.addThread({ number: reportIssue });
      return { outcome: 'reported', event: github.scheduleEvent() };
    },
  ],
};

const reportIssue = 40;
const secondProject = 'prj_simulated_api';

function command({ github }: Change, number: number): WebhookEvent {
  return github.issueCommentEvent(github.comment('maintainer', number, '/docs document this'));
}

afterEach(closeThreadStages);

test('every example is played', () => {
  expect(readdirSync(folder).sort()).toEqual(Object.keys(scenes).sort());
});

describe.each(Object.entries(scenes))('%s', (file, plays) => {
  const workflow = parse(readFileSync(`${folder}${file}`, 'utf8')) as Workflow;
  const [job, ...others] = Object.values(workflow.jobs);
  const permissions = job?.permissions ?? {};

  test('does what it is there for, and starts from no permission', async () => {
    expect(others).toEqual([]);
    expect(workflow.permissions).toEqual({});
    for (const scene of plays) {
      const { run, outcome, event } = await play(scene, permissions);
      expect(workflow.on).toHaveProperty(event);
      expect(run).toMatchObject({ exitCode: 0, outputs: { outcome } });
      expect(warnings(run)).toEqual([]);
    }
  });

  const names = Object.keys(permissions) as (keyof Capabilities)[];
  if (names.length > 0)
    test.each(names)('needs %s', async (name) => {
      const less = { ...permissions, [name]: permissions[name] === 'write' ? 'read' : 'none' };
      const runs: ThreadRun[] = [];
      for (const scene of plays) runs.push((await play(scene, less)).run);
      expect(runs.some((run) => run.exitCode !== 0 || warnings(run).length > 0)).toBe(true);
    });

  async function play(scene: (change: Change) => Scene, granted: Partial<Capabilities>) {
    const change = await openChangeStage();
    const { event, outcome, sha } = scene(change);
    const none: Record<Exclude<keyof Capabilities, 'metadata'>, Access> = {
      issues: 'none',
      'pull-requests': 'none',
      actions: 'none',
      contents: 'none',
    };
    change.github.restrict({ ...none, ...granted });
    const step = job?.steps.find(({ uses }) => uses?.startsWith('docs-agent/docs-agent@'));
    const inputs = Object.entries(step?.with ?? {}).map(([name, value]) => [
      name,
      evaluated(String(value), event, change.stage),
    ]);
    const run = await change.stage.play({
      event,
      inputs: Object.fromEntries(inputs),
      env: sha === undefined ? {} : { GITHUB_SHA: sha },
    });
    expect(run.log).not.toContain('Unexpected input');
    return { run, outcome, event: event.name };
  }
});

/** An input as GitHub would hand it in. */
function evaluated(
  value: string,
  { payload }: WebhookEvent,
  { simulator: { service } }: ThreadStage,
): string {
  const { inputs } = payload as { readonly inputs?: Readonly<Record<string, string>> };
  const known: Readonly<Record<string, string>> = {
    'secrets.DOCS_API_KEY': service.apiKey,
    'vars.DOCS_PROJECT_ID': service.projectId,
    'vars.DOCS_GUIDES_PROJECT_ID': service.projectId,
    'vars.DOCS_API_PROJECT_ID': secondProject,
    'vars.DOCS_REPORT_ISSUE': String(reportIssue),
    'inputs.prompt': inputs?.prompt ?? '',
    'inputs.date-from': '',
    'inputs.date-to': '',
    "inputs.date-from && 'custom' || 'last-week'": 'last-week',
  };
  return value.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    const result = known[expression];
    if (result === undefined) throw new Error(`The test does not know what ${expression} is`);
    return result;
  });
}
