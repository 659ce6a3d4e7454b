import type { Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';

const endOfHead = '\r\n\r\n';
/** Past this a head that does not end is left to the parser, which refuses it. */
const mostHeadBytes = 16 * 1024;

/**
 * A pool whose answers may begin with `100 Continue` though nobody asked for it. A client has to pass that over (RFC 9110
 * §15.2); undici breaks the connection, and a job that was created would be one of which nobody knows.
 */
export function poolPassingOverContinue(origin: string | URL, options: object): Pool {
  const given: Pool.Options = options;
  const connect =
    typeof given.connect === 'function'
      ? given.connect
      : buildConnector({ allowH2: false, ...given.connect });
  return new Pool(origin, {
    ...given,
    connect: (target, done) =>
      connect(target, (...result) => {
        const [error, socket] = result;
        if (error === null && socket !== null) passOverContinue(socket);
        done(...result);
      }),
  });
}

/** Takes every `100 Continue` out of what is read before an answer. */
function passOverContinue(socket: Socket): void {
  const [read, write] = [
    socket.read.bind(socket),
    socket.write.bind(socket) as (...args: unknown[]) => boolean,
  ];
  let answerBegins = false;
  let held = '';
  socket.write = (...args: unknown[]) => {
    answerBegins = true;
    return write(...args);
  };
  socket.read = (size?: number) => {
    for (let chunk = read(size); ; chunk = read(size)) {
      if (chunk === null || !answerBegins) return chunk;
      held = withoutContinue(held + (chunk as Buffer).toString('latin1'));
      if (mayBecomeContinue(held)) continue;
      answerBegins = false;
      const answer = Buffer.from(held, 'latin1');
      held = '';
      return answer;
    }
  };
}

function withoutContinue(text: string): string {
  const end = text.indexOf(endOfHead);
  const isContinue = /^HTTP\/1\.[01] 100[ \r]/.test(text);
  return isContinue && end !== -1 ? withoutContinue(text.slice(end + endOfHead.length)) : text;
}

/** Whether the next bytes may show that this is another `100 Continue`. */
function mayBecomeContinue(text: string): boolean {
  if (text.length > mostHeadBytes) return false;
  return ['HTTP/1.1 100', 'HTTP/1.0 100'].some((start) => start.startsWith(text) || text.startsWith(start));
}
