import type { SimulatorCore } from '../../simulator/core.ts';

/** The inputs that every run needs: they lead it to the simulator's service. */
export function serviceInputs({
  url,
  service,
}: Pick<SimulatorCore, 'url' | 'service'>): Record<'base-url' | 'api-key' | 'project-id', string> {
  return { 'base-url': url, 'api-key': service.apiKey, 'project-id': service.projectId };
}
