import { ServiceError } from '../service/errors.ts';
import type { Job } from '../service/schemas.ts';
import type { Session } from './session.ts';

/** The job as the service tells it. @throws ServiceError */
export function readJob(jobId: string, { deps }: Session): Promise<Job> {
  return deps.service.getJob(jobId, { signal: deps.signal });
}

/** The same; `undefined` where the service knows no such job (404). */
export function readJobIfThere(jobId: string, session: Session): Promise<Job | undefined> {
  return readJob(jobId, session).catch((error: unknown) => {
    if (error instanceof ServiceError && error.reason === 'not-found') return undefined;
    throw error;
  });
}
