import { createInMemorySimulator } from '../../../simulator/in-memory.ts';
import { createDocsService } from '../../../src/service/client.ts';
import { createScrub } from '../../../src/text/scrub.ts';

/** The action's service client, connected to an in-memory service whose clock skips every sleep. */
export function memoryService(signal = calm()) {
  const simulator = createInMemorySimulator();
  const { url, clock, dispatcher } = simulator;
  const { projectId, apiKey } = simulator.service;
  const service = createDocsService({
    baseUrl: url,
    projectId,
    apiKey,
    clock,
    signal,
    dispatcher,
    scrub: createScrub([apiKey]),
  });
  return { simulator, apiKey, service };
}

/** A signal that is never aborted. */
export function calm(): AbortSignal {
  return new AbortController().signal;
}
