import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';

/**
 * What a comment of ours stands for.
 * `claimed`: the service is about to be asked. `working`: there is a job. `ended`: the job's end is told. `released`: nothing
 * was created, the trigger is free again. `unconfirmed`: nobody can know whether the service was asked. `answered`: help or
 * status. `denied`: told that they may not.
 */
const phases = ['claimed', 'working', 'ended', 'released', 'unconfirmed', 'answered', 'denied'] as const;
export type Phase = (typeof phases)[number];

/** Phases in which nothing is asked of the agent. */
const askedNothing: ReadonlySet<Phase> = new Set(['released', 'answered', 'denied']);

/** What is compared to learn whether a job has taken up a message. */
export const jobStateSchema = z.object({ status: z.string(), prLink: z.nullable(z.string()) });

const payloadSchema = z.object({
  /** The trigger's key, such as `comment:<id>`. */
  key: z.string(),
  phase: z.enum(phases),
  run: z.string(),
  attempt: z.number(),
  /** Names the project, so that what another project has marked is told from what another key has signed. */
  project: z.optional(z.string()),
  /** The process that wrote it: steps and matrix legs of one run share its id and attempt. */
  nonce: z.optional(z.string()),
  /** Of a claim: one above the claim that it follows. The first is 1. */
  generation: z.optional(z.number()),
  /** The comment it stands in, once that is known. */
  comment: z.optional(z.number()),
  job: z.optional(z.string()),
  /** Set where the trigger sent a message to a job there was before. */
  message: z.optional(z.boolean()),
  /** How that job stood before the message, until an end that came after it was seen. */
  before: z.optional(jobStateSchema),
  /** How that job stood when it was told as not seen to take up the message. */
  unseen: z.optional(jobStateSchema),
  /** When the agent was asked, in seconds since the epoch. */
  askedAt: z.optional(z.number()),
  /** Until when the process is at it at the latest, in seconds since the epoch; absent where nobody watches. */
  until: z.optional(z.number()),
  /** The state of what the agent was told of with the prompt: a pull request's head, or a digest of an issue's words. */
  head: z.optional(z.string()),
  /** The workflow whose changes all go to one job, while its pull request is open. */
  series: z.optional(z.string()),
  /** The address of the job's pull request. */
  pullRequest: z.optional(z.string()),
  /** The outcome that was told as the end. */
  outcome: z.optional(z.string()),
  /** Whose command was denied. */
  denied: z.optional(z.string()),
});
export type Marker = z.infer<typeof payloadSchema>;

export interface MarkerScope {
  /** The API key signs; address and project keep the memories of two projects in one thread apart. */
  readonly service: { readonly apiKey: string; readonly baseUrl: string; readonly projectId: string };
  readonly repositoryId: string;
  readonly thread: number;
}

/** Writes and reads the markers of one thread. */
export interface Markers {
  /** The first line of a comment as we write it. */
  write(marker: Marker): string;
  /** The marker of a comment; `undefined` for none, for one that does not verify, and for one that names another comment. */
  read(comment: { readonly id: number; readonly body: string }): Marker | undefined;
  /** The trigger's key in a marker of this project that an app wrote, that does not verify, and that says that something may have been asked. */
  unverifiedKey(comment: {
    readonly id: number;
    readonly body: string;
    readonly login: string;
  }): string | undefined;
}

const lines = /^<!-- docs-agent:v1 ([A-Za-z0-9_-]{1,4096})\.([A-Za-z0-9_-]{43}) -->$/gm;

const opening = '<!-- docs-agent:v1 ';

/** Whether a comment is one of ours or made to look like one. */
export function looksLikeOurs(body: string): boolean {
  return body.startsWith(opening);
}

/** Whether looking for a marker is worth it. Somebody may have put a line above one. */
export function mayHoldMarker(body: string): boolean {
  return body.includes(opening);
}

/** Whether it is an app that writes under a login: nobody else can have one like it. */
export function isAppLogin(login: string): boolean {
  return login.endsWith('[bot]');
}

/**
 * Anyone can write a comment that looks like ours, and every workflow writes as `github-actions[bot]`: only what is signed
 * with a key derived from the API key (HKDF, RFC 5869; HMAC-SHA-256, RFC 2104) is memory. A rotated key means no memory.
 */
export function createMarkers({ service, repositoryId, thread }: MarkerScope): Markers {
  const { apiKey, baseUrl, projectId } = service;
  const info = `docs-agent marker v1\n${baseUrl}\n${projectId}`;
  const project = createHash('sha256').update(info).digest('base64url').slice(0, 12);
  const key = Buffer.from(hkdfSync('sha256', apiKey, '', info, 32));
  const macOf = (payload: string) =>
    createHmac('sha256', key).update(`${payload}\n${repositoryId}\n${thread}`).digest('base64url');

  const isSigned = (payload: string, mac: string) =>
    timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(payload)));

  /** What stands in a comment as its marker. Somebody may have put a line above one, which it counts below if it names the comment. */
  const found = ({ id, body }: { readonly id: number; readonly body: string }) =>
    [...body.matchAll(lines)].flatMap(({ index, 1: payload = '', 2: mac = '' }) => {
      const marker = payloadOf(payload);
      const isAtHome = marker?.comment === undefined ? index === 0 : marker.comment === id;
      return marker !== undefined && isAtHome ? [{ marker, isVerified: isSigned(payload, mac) }] : [];
    });

  return {
    write(marker) {
      const payload = Buffer.from(JSON.stringify({ ...marker, project })).toString('base64url');
      return `<!-- docs-agent:v1 ${payload}.${macOf(payload)} -->`;
    },
    read: (comment) => found(comment).find(({ isVerified }) => isVerified)?.marker,
    unverifiedKey(comment) {
      const [first] = isAppLogin(comment.login) ? found(comment) : [];
      if (first === undefined || first.isVerified) return undefined;
      const { marker } = first;
      return marker.project === project && !askedNothing.has(marker.phase) ? marker.key : undefined;
    },
  };
}

function payloadOf(payload: string): Marker | undefined {
  try {
    return payloadSchema.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
