import type { SimulatorCore } from '../../simulator/core.ts';

/* Defaults for tests that are about something else. */

/** The thread that most of them use. */
export const THREAD = 7;

/** The inputs that every run needs, pointing to the simulator's service. */
export function serviceInputs({
  url,
  service,
}: Pick<SimulatorCore, 'url' | 'service'>): Record<'base-url' | 'api-key' | 'project-id', string> {
  return { 'base-url': url, 'api-key': service.apiKey, 'project-id': service.projectId };
}
