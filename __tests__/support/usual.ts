import type { SimulatorCore } from '../../simulator/core.ts';

/* Defaults for tests that don't depend on them. */

export const THREAD = 7;

/** The inputs that every run needs, with the simulator's URL. */
export function serviceInputs({
  url,
  service,
}: Pick<SimulatorCore, 'url' | 'service'>): Record<'base-url' | 'api-key' | 'project-id', string> {
  return { 'base-url': url, 'api-key': service.apiKey, 'project-id': service.projectId };
}
