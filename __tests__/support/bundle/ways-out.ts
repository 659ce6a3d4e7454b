import { readFileSync } from 'node:fs';
import { createServer, request as forward, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';

/* Servers between the action and the simulator: one terminates TLS, and one is a proxy. Both listen only on loopback. */

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url));

/** The file for NODE_EXTRA_CA_CERTS. It makes clients trust `localhost` and all names under `example.test`. */
export const authorityFile = fixture('certificate.pem');
const identity = { cert: readFileSync(authorityFile), key: readFileSync(fixture('key.pem')) };
/** The server accepts HTTP/2 but doesn't support it, so a client that offers HTTP/2 fails. */
const ALPNProtocols = ['h2', 'http/1.1'];

export type TlsFront = Awaited<ReturnType<typeof startTlsFront>>;

/** Terminates TLS, and forwards everything to a local port. */
export async function startTlsFront(plainPort: number) {
  /** The server name (SNI) of each connection. */
  const names: string[] = [];
  const server = createTlsServer({ ...identity, ALPNProtocols }, (socket) => {
    names.push(socket.servername || '');
    join(socket, plainPort);
  });
  return { ...(await listen(server)), names };
}

export interface ProxyOptions {
  /** The ports to which the proxy sends CONNECT connections and forwarded requests. */
  readonly tlsPort: number;
  readonly plainPort: number;
  /** Whether clients connect to the proxy over TLS. */
  readonly secure?: boolean;
  /** Whether the proxy responds to every CONNECT with 403. */
  readonly refuses?: boolean;
}

export type HttpProxy = Awaited<ReturnType<typeof startProxy>>;

/** A proxy that sends everything to this machine, whatever the host. */
export async function startProxy({
  tlsPort,
  plainPort,
  secure = false,
  refuses = false,
}: ProxyOptions) {
  /** Received requests, such as `CONNECT host:443` or `GET http://host/path`. */
  const asked: string[] = [];
  /** The `proxy-authorization` header of each request; `''` if there was none. */
  const credentials: string[] = [];
  const note = ({ method, url, headers }: IncomingMessage) => {
    asked.push(`${method} ${url}`);
    credentials.push(headers['proxy-authorization'] ?? '');
  };
  const server = secure ? createSecureServer({ ...identity, ALPNProtocols }) : createServer();
  server.on('request', (incoming: IncomingMessage, outgoing) => {
    note(incoming);
    const { pathname, search } = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const onward = forward(
      { port: plainPort, path: pathname + search, method, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    note(incoming);
    if (refuses) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    join(socket, tlsPort);
  });
  const { port, close } = await listen(server);
  return {
    url: secure ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    asked,
    credentials,
    close,
  };
}

function join(socket: Duplex, port: number): void {
  const onward = connect(port, '127.0.0.1');
  onward.on('error', () => socket.destroy());
  socket.on('error', () => onward.destroy());
  onward.pipe(socket).pipe(onward);
}

/** Listens on loopback. `close` also ends open connections. */
async function listen(server: Server) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { port, close };
}
