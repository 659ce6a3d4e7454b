import type { SimulatorCore } from '../../simulator/core.ts';

/* What tests have that are about something else. */

/** The thread most of them play in. */
export const THREAD = 7;

/** The inputs that every run needs: they lead it to the simulator's service. */
export function serviceInputs({
  url,
  service,
}: Pick<SimulatorCore, 'url' | 'service'>): Record<'base-url' | 'api-key' | 'project-id', string> {
  return { 'base-url': url, 'api-key': service.apiKey, 'project-id': service.projectId };
}
