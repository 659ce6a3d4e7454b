import { ActionError } from '../core/errors.ts';

/**
 * A signal that is aborted when the runner cancels the job: SIGINT first, SIGTERM 7.5 s later, SIGKILL 2.5 s after that
 * (GitHub's documentation, "Workflow cancellation reference").
 */
export function cancellation(): AbortSignal {
  const controller = new AbortController();
  const cancel = () => controller.abort(new ActionError('cancelled', 'The run was cancelled'));
  process.on('SIGINT', cancel);
  process.on('SIGTERM', cancel);
  return controller.signal;
}
