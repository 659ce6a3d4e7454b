import * as z from 'zod/mini';
import { input, wholeNumber } from './inputs.ts';

/** The input of every mode that reads much of the service. */
export const maxRequestsInput = input(z.prefault(wholeNumber(1, 1000), '40'), {
  description:
    'The most requests a run may send to the service, retries included, 1 to 1000. For visitors the service allows 100 an hour, for the whole organisation.',
});
