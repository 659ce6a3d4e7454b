import { expect, test } from '@jest/globals';
import type { Nodes } from 'mdast';
import { Stage } from '../support/bundle/stage.ts';
import { nodesOf, parseGfm } from '../support/gfm.ts';
import { routes } from '../support/routes.ts';

const stage = new Stage();

/** Text with a special meaning in a log, in Markdown, or in HTML. */
const charge =
  '`|@octocat #1 <img src=x onerror=alert(1)> [a](https://evil.example.com) ![b](c) \\|';
const command =
  '\n::error::owned\r::add-mask::active\n\u0085::set-output name=pr-link::owned\n##[error]owned';

/** Besides text and code, a summary may contain only its own headings, table, link, and collapsed part. */
function expectTame(summary: string): void {
  const nodes = nodesOf(parseGfm(summary));
  const of = (type: Nodes['type']) => nodes.filter((node) => node.type === type);
  expect(of('image')).toEqual([]);
  const folded = ['<details><summary>Details</summary>', '</details>'];
  expect(of('html')).toMatchObject(folded.map((value) => ({ value })));
  for (const link of of('link'))
    expect(link).toMatchObject({ url: expect.stringMatching(/^https:\/\/github\.com\//) });
  for (const row of of('tableRow')) expect(row).toMatchObject({ children: { length: 2 } });
  const prose = of('text').map((node) => ('value' in node ? node.value : ''));
  expect(prose.join('\n')).not.toMatch(/octocat|evil|owned/);
}

test('whatever the service says about a job is shown, and has no effect', async () => {
  stage.simulator.service.scriptNext({
    extra: {
      model: `model ${charge}${command}`,
      source: { repository: `octo/${charge}`, ref: command },
    },
    activeStatus: `pondering ${charge}${command}`,
    prLink: `https://github.com/o/r/pull/1?q=|)](https://evil.example.com)<img>${charge.replaceAll(' ', '+')}`,
  });
  const run = await stage.play({ prompt: 'x' });
  expect(run.exitCode).toBe(0);
  expect(run.outputs).toMatchObject({
    outcome: 'pr-created',
    'job-status': 'completed',
    'pr-number': '1',
  });
  expect(run.outputs['pr-link']).toMatch(/^https:\/\/github\.com\/o\/r\/pull\/1\?/);
  expect(run.annotations.map(({ level }) => level)).toEqual(['warning', 'notice']);
  expect(run.annotations[0]?.message).toMatch(/^The job has the status .*pondering/);
  expect(run.masks).not.toContain('active');
  expectTame(run.summary);
});

test('whatever the service says about an error is shown, and has no effect', async () => {
  const says = `No ${charge}${command}\n\`\`\`\n# owned`;
  stage.simulator.faults.refuse(routes.createJob, 429, { says });
  const run = await stage.play({ prompt: 'x' });
  expect(run.exitCode).toBe(1);
  expect(run.outputs).toMatchObject({ outcome: 'failed', reason: 'rate-limited', 'pr-link': '' });
  expect(run.annotations).toHaveLength(1);
  expect(run.masks).not.toContain('active');
  expectTame(run.summary);
});

test('whatever a prompt says is sent unchanged and shown, and has no effect', async () => {
  const prompt = `${charge}${command}\n\`\`\`\`\n</details>\n# owned\n<!-- -->\n${'`'.repeat(12)}`;
  const run = await stage.play({ prompt });
  expect(run.outputs).toMatchObject({ outcome: 'pr-created', 'pr-number': '101' });
  expect(stage.jobs[0]?.prompts).toEqual([prompt]);
  expect(run.annotations.map(({ level }) => level)).toEqual(['notice']);
  expectTame(run.summary);
});
