import type { Deps } from '../deps.ts';
import type { CallOptions } from '../service/client.ts';
import { ServiceError } from '../service/errors.ts';
import type { Job } from '../service/schemas.ts';

/** A job, or `undefined` if the service knows none by that id: the one place that says so. */
export async function findJob(
  jobId: string,
  { service }: Pick<Deps, 'service'>,
  options: CallOptions,
): Promise<Job | undefined> {
  try {
    return await service.getJob(jobId, options);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether the service says that there is no such job. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.reason === 'not-found';
}
