import { createServer, request as forward, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { runAction } from '../../simulator/runner/runner.ts';
import { serviceInputs } from '../support/usual.ts';

let simulator: Simulator;
let proxy: Server;
/** What the proxy was asked to reach. */
let reached: string[] = [];

beforeEach(async () => {
  simulator = await startSimulator();
  reached = [];
  proxy = createServer((incoming, outgoing) => {
    reached.push(incoming.url ?? '');
    const { method, headers } = incoming;
    const onward = forward(incoming.url ?? '', { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  proxy.on('connect', ({ url = '' }, socket, head) => {
    reached.push(url);
    const [host, port] = url.split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await simulator.close();
});

const play = (env: Record<string, string>) => {
  const { github } = simulator;
  github.addThread({ number: 7 });
  const event = github.issueCommentEvent(github.comment('maintainer', 7, '/docs add a quickstart'));
  return runAction({ simulator, inputs: serviceInputs(simulator), event, env });
};
const proxyUrl = () => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

test('requests go through the proxy of the environment', async () => {
  const run = await play({ http_proxy: proxyUrl() });
  expect(run.outputs.outcome).toBe('pr-created');
  expect(reached.length).toBeGreaterThan(0);
  expect(simulator.violations).toEqual([]);
});

test('and past it where no_proxy says so', async () => {
  const run = await play({ http_proxy: proxyUrl(), no_proxy: '127.0.0.1' });
  expect(run.outputs.outcome).toBe('pr-created');
  expect(reached).toEqual([]);
});
