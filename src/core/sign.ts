import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { type Scrub, scrubAll } from '../text/scrub.ts';
import { shortHash } from './hash.ts';
import { type Access, accessTo, type Project } from './projects.ts';

/** What a signature depends on, apart from the payload. */
export interface SignerScope {
  /** The URL and the project are included, so that two projects can use the same thread. */
  readonly service: Readonly<ReturnType<typeof accessTo>>;
  readonly repositoryId: string;
  readonly thread: number;
  readonly scrub: Scrub;
}

type Signing = Pick<SignerScope, 'scrub'> & { readonly context: Pick<SignerScope, 'repositoryId'> };
type SignedComment = Readonly<{ id: number; body: string; unedited: boolean }>;
export type Signer = ReturnType<typeof createSigner>;

const opening = '<!-- docs-agent:v1 ';
const marked = /^<!-- docs-agent:v1 ([A-Za-z0-9_-]{1,65536})\.([A-Za-z0-9_-]{43}) -->$/gm;

/** A signed payload is never ignored, so a field in an unknown form is only left out. */
const payloadSchema = z.looseObject({
  project: z.catch(z.optional(z.string()), undefined),
  key: z.catch(z.optional(z.string()), undefined),
  comment: z.catch(z.optional(z.looseObject({ id: z.number() })), undefined),
});

type Payload = z.infer<typeof payloadSchema>;

export type Owner = Readonly<ReturnType<typeof ownerOf>>;

/** A project and its signatures. */
export function ownerOf(project: Project, config: Access, { context, scrub }: Signing) {
  const scope = { service: accessTo(config, project), repositoryId: context.repositoryId, scrub };
  return { project, signerOf: (thread: number) => createSigner({ ...scope, thread }) };
}

/** Whether a comment is one of our own, by its first line. The signature isn't checked. */
export function startsWithMarker(body: string): boolean {
  return body.startsWith(opening);
}

/** Whether a comment contains our marker, maybe below other text. The signature isn't checked. */
export function containsMarker(body: string): boolean {
  return body.includes(opening);
}

/**
 * Anyone can paste our comments, and every workflow posts as `github-actions[bot]`. So a card must
 * be signed with a key derived from the API key (HKDF, RFC 5869; HMAC-SHA-256, RFC 2104), and is
 * invalid once that changes.
 */
export function createSigner({ service, repositoryId, thread, scrub }: SignerScope) {
  const info = `docs-agent marker v1\n${service.baseUrl}\n${service.projectId}`;
  const project = shortHash(info);
  const key = Buffer.from(hkdfSync('sha256', service.apiKey, '', info, 32));
  const macOf = (payload: string) =>
    createHmac('sha256', key).update(`${payload}\n${repositoryId}\n${thread}`).digest('base64url');

  /** The marked lines that belong to a comment. */
  function* readLines({ id, body, unedited }: SignedComment) {
    for (const match of body.matchAll(marked)) {
      const [, encoded = '', mac = ''] = match;
      const payload = decode(encoded);
      const namedId = payload.comment?.id;
      // People may add text above our line. In a comment that was never edited, that is a quotation.
      const isOnTop = match.index === 0 || !unedited;
      const isHere = namedId === undefined ? isOnTop : namedId === id;
      const isVerified = timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(encoded)));
      if (isHere) yield { payload, isVerified };
    }
  }

  return {
    sign(payload: object): string {
      // Scrub before signing: a secret scrubbed from the signed line would break the signature.
      const safe = scrubAll(structuredClone({ ...payload, project }), scrub);
      const encoded = Buffer.from(JSON.stringify(safe)).toString('base64url');
      return `${opening}${encoded}.${macOf(encoded)} -->`;
    },
    /** The verified payload in a comment; `undefined` without one, or if it is a copied one. */
    open(comment: SignedComment): Payload | undefined {
      const lines = readLines(comment).filter(({ isVerified }) => isVerified);
      const payloads = Array.from(lines, ({ payload }) => payload);
      // The newest card names its comment. Someone may have pasted an older one above it.
      const newest = payloads.find((payload) => payload.comment !== undefined) ?? payloads[0];
      return newest && scrubAll(newest, scrub);
    },
    /**
     * This project's payload in an app's or a member's comment that may have been signed with a
     * different API key.
     */
    openUnverified(comment: SignedComment & { readonly isByInsider: boolean }): unknown {
      if (!comment.isByInsider) return undefined;
      const first = readLines(comment).find(({ payload }) => payload.project === project);
      return first?.isVerified === false ? first.payload : undefined;
    },
  };
}

function decode(payload: string): Payload {
  try {
    return payloadSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  } catch {
    return {};
  }
}
