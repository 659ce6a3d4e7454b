import type { Remembered } from '../../../src/agent/thread/memory.ts';
import type { ThreadComment } from '../../../src/github/changes.ts';
import { createMarkers, type Marker, type MarkerScope } from '../../../src/requests/marker.ts';

export const scope: MarkerScope = {
  service: { apiKey: 'mint_fake_key', baseUrl: 'https://api.example.com', projectId: 'prj_1' },
  repositoryId: '790000001',
  thread: 7,
};

export const markers = createMarkers(scope);

/** What a status comment remembers, all of it unless told otherwise. */
export function marker(patch: Partial<Marker> = {}): Marker {
  return { key: 'comment:40', phase: 'working', run: '7000000001', attempt: 1, ...patch };
}

export function comment(id: number, body: string, patch: Partial<ThreadComment> = {}): ThreadComment {
  const url = `https://github.com/octo-org/docs/issues/7#issuecomment-${id}`;
  const times = { createdAtMs: id * 1000, editedAtMs: id * 1000 };
  return { id, body, login: 'github-actions[bot]', url, ...times, unedited: true, ...patch };
}

/** A comment of ours whose marker verifies; bound to it unless told otherwise. */
export function remembered(
  id: number,
  patch: Partial<Marker> & { readonly bound?: boolean } = {},
): Remembered {
  const { bound = true, ...rest } = patch;
  const held = marker({ ...(bound ? { comment: id } : {}), ...rest });
  return { comment: comment(id, markers.write(held), { unedited: !bound }), marker: held };
}
