import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createMarkers, looksLikeOurs, type MarkerScope } from '../../src/requests/marker.ts';
import { marker, markers, scope } from '../support/samples/markers.ts';

const bound = marker({ comment: 41, job: 'job_1', until: 1_767_605_400 });
const line = markers.write(bound);
const read = (body: string, id = 41, from = markers) => from.read({ id, body });

test('what was written is read again, at the head of a comment and alone', () => {
  for (const tail of ['', '\n', '\nText', '\r\nText\r\n', '\n<!-- docs-agent:v1 x.y -->']) {
    expect(read(line + tail)).toEqual({ ...bound, project: expect.any(String) });
  }
});

test('one that names its comment counts below what somebody put above it; one that does not, on the first line alone', () => {
  const unbound = markers.write(marker({ job: 'job_1' }));
  for (const above of [
    '\n',
    'Note: done by hand.\n',
    'One\r\n\r\nTwo\r\n',
    `${unbound.slice(0, -9)}AAAAA -->\n`,
  ]) {
    expect(read(`${above}${line}\nText`)).toMatchObject({ comment: 41, job: 'job_1' });
    expect(read(`${above}${line}\nText`, 42)).toBeUndefined();
    expect(read(`${above}${unbound}\nText`)).toBeUndefined();
  }
  // What is quoted below, such as an older version, is not the marker.
  const older = markers.write(marker({ comment: 41, phase: 'claimed' }));
  expect(read(`${line}\n\n${older}`)).toMatchObject({ phase: bound.phase });
});

test('any marker is read as it was written', () => {
  const phases = fc.constantFrom('claimed', 'working', 'ended', 'released', 'answered', 'denied');
  const any = fc.record(
    {
      key: fc.string(),
      phase: phases,
      run: fc.string(),
      attempt: fc.nat(),
      job: fc.string({ unit: 'binary' }),
      denied: fc.string(),
    },
    { requiredKeys: ['key', 'phase', 'run', 'attempt'] },
  );
  fc.assert(
    fc.property(any, (written) => {
      const text = markers.write(written as Parameters<typeof markers.write>[0]);
      expect(text).toMatch(/^<!-- [^\s<>]+ [\w.-]+ -->$/);
      // Nothing in it ends the comment it is hidden in (HTML, "Comments").
      expect(text.slice(4, -3)).not.toMatch(/^-?>|--!?>/);
      expect(read(text)).toEqual({ ...JSON.parse(JSON.stringify(written)), project: expect.any(String) });
    }),
  );
});

describe('what is not memory', () => {
  test('one with any bit of any byte flipped', () => {
    let tried = 0;
    for (let at = 0; at < line.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const flipped = String.fromCharCode(line.charCodeAt(at) ^ (1 << bit));
        expect(read(`${line.slice(0, at)}${flipped}${line.slice(at + 1)}\nText`)).toBeUndefined();
        tried += 1;
      }
    }
    expect(tried).toBe(line.length * 8);
  });

  test('one with a byte less or more', () => {
    for (let at = 0; at < line.length; at += 1) {
      expect(read(line.slice(0, at) + line.slice(at + 1))).toBeUndefined();
      expect(read(`${line.slice(0, at)}A${line.slice(at)}`)).toBeUndefined();
    }
  });

  test.each<[string, Partial<MarkerScope>]>([
    ['another thread', { thread: 8 }],
    ['another repository', { repositoryId: '790000002' }],
    ['another project', { service: { ...scope.service, projectId: 'prj_2' } }],
    ['another service', { service: { ...scope.service, baseUrl: 'https://api.example.org' } }],
    ['another key', { service: { ...scope.service, apiKey: 'mint_fake_rotated' } }],
    ['a repository and thread that read the same in a row', { repositoryId: '790000001\n7', thread: 7 }],
  ])('one from %s', (_, other) => {
    expect(read(createMarkers({ ...scope, ...other }).write(bound))).toBeUndefined();
    expect(read(line, 41, createMarkers({ ...scope, ...other }))).toBeUndefined();
  });

  test('one that names another comment', () => {
    expect(read(line, 42)).toBeUndefined();
  });

  test.each([' ', '\ufeff', '\n> ', '> ', '<!-- -->', 'Look: '])('one behind %j', (before) => {
    expect(read(before + line)).toBeUndefined();
  });

  test('one with words on its line', () => {
    expect(read(`${line} and more`)).toBeUndefined();
    expect(read(`${line}${line}`)).toBeUndefined();
  });

  test('the parts of two put together', () => {
    const other = markers.write(marker({ comment: 41, job: 'job_2' }));
    const [payload] = line.split('.');
    const [, mac] = other.split('.');
    expect(read(`${payload}.${mac}`)).toBeUndefined();
  });

  test('anything that nobody signed', () => {
    const forged = fc.record({
      payload: fc.base64String(),
      mac: fc.string({ minLength: 43, maxLength: 43 }),
    });
    fc.assert(
      fc.property(forged, ({ payload, mac }) => {
        expect(read(`<!-- docs-agent:v1 ${payload.replaceAll('=', '')}.${mac} -->`)).toBeUndefined();
      }),
    );
  });
});

test('the key is not in the marker', () => {
  const [, payload = ''] = line.match(/v1 ([\w-]+)\./) ?? [];
  expect(Buffer.from(payload, 'base64url').toString()).not.toContain(scope.service.apiKey);
  expect(line).not.toContain(scope.service.apiKey);
});

test('comments made to look like ours are known for that, others are not', () => {
  expect(looksLikeOurs(line)).toBe(true);
  expect(looksLikeOurs('<!-- docs-agent:v1 forged')).toBe(true);
  expect(looksLikeOurs(`> ${line}`)).toBe(false);
  expect(looksLikeOurs('/docs <!-- docs-agent:v1 ')).toBe(false);
});
