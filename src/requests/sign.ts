import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import type { ThreadComment } from '../github/changes.ts';
import { type Scrub, scrubbed } from '../text/scrub.ts';

/** What a signature covers besides the payload. */
export interface SignerScope {
  /** The API key signs; URL and project keep two projects in one thread apart. */
  readonly service: { readonly apiKey: string; readonly baseUrl: string; readonly projectId: string };
  readonly repositoryId: string;
  readonly thread: number;
  readonly scrub: Scrub;
}

/** What is needed of a comment to read its first line. */
type SignedComment = Pick<ThreadComment, 'id' | 'body' | 'login'>;

/** Signs what a comment of one thread remembers, and reads it back. */
export type Signer = ReturnType<typeof createSigner>;

const opening = '<!-- docs-agent:v1 ';
const lines = /^<!-- docs-agent:v1 ([A-Za-z0-9_-]{1,12288})\.([A-Za-z0-9_-]{43}) -->$/gm;

/** What every payload contains. */
const payloadSchema = z.looseObject({
  project: z.string(),
  comment: z.optional(z.looseObject({ id: z.number() })),
});

/** Whether a comment looks like one of ours. */
export function looksLikeOurs(body: string): boolean {
  return body.startsWith(opening);
}

/** Whether a comment may have a signed line: someone may have put text above it. */
export function mayBeSigned(body: string): boolean {
  return body.includes(opening);
}

/** Whether a login is an app's: no one else can have one like it. */
export function isAppLogin(login: string): boolean {
  return login.endsWith('[bot]');
}

/**
 * Anyone can paste a comment that looks like ours, and every workflow writes as `github-actions[bot]`. So a record is valid only
 * if it is signed with a key derived from the API key (HKDF, RFC 5869; HMAC-SHA-256, RFC 2104). Rotating the key loses all records.
 */
export function createSigner({ service, repositoryId, thread, scrub }: SignerScope) {
  const { apiKey, baseUrl, projectId } = service;
  const info = `docs-agent marker v1\n${baseUrl}\n${projectId}`;
  const project = createHash('sha256').update(info).digest('base64url').slice(0, 12);
  const key = Buffer.from(hkdfSync('sha256', apiKey, '', info, 32));
  const macOf = (payload: string) =>
    createHmac('sha256', key).update(`${payload}\n${repositoryId}\n${thread}`).digest('base64url');

  /** The signed lines of a comment. One that names its comment is valid below other text too. */
  const found = ({ id, body }: SignedComment) =>
    [...body.matchAll(lines)].flatMap(({ index, 1: encoded = '', 2: mac = '' }) => {
      const payload = decoded(encoded);
      const isHere = payload?.comment === undefined ? index === 0 : payload.comment.id === id;
      if (payload === undefined || !isHere) return [];
      return [{ payload, isVerified: timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(encoded))) }];
    });

  return {
    /** The first line of a comment. */
    sign(payload: object): string {
      // A secret in base64 would be scrubbed later, and the signature broken.
      const safe = scrubbed({ ...payload, project }, scrub);
      const encoded = Buffer.from(JSON.stringify(safe)).toString('base64url');
      return `${opening}${encoded}.${macOf(encoded)} -->`;
    },
    /** The payload of a comment; `undefined` if there is none, it isn't verified, or it names another comment. */
    open(comment: SignedComment): unknown {
      return found(comment).find(({ isVerified }) => isVerified)?.payload;
    },
    /** This project's payload in a bot's comment that isn't verified: perhaps ours, signed with a different key. */
    openUnverified(comment: SignedComment): unknown {
      const [first] = isAppLogin(comment.login) ? found(comment) : [];
      return first === undefined || first.isVerified || first.payload.project !== project
        ? undefined
        : first.payload;
    },
  };
}

function decoded(payload: string): z.infer<typeof payloadSchema> | undefined {
  try {
    return payloadSchema.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
