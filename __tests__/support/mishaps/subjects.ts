import { scenarios } from '../scenarios/agent.ts';
import { agentSubject } from './agent.ts';
import { collectSubject } from './collect.ts';
import type { Subject } from './matrix.ts';
import { reportSubject } from './report.ts';

/** All uses of the action that are tested with faults, cancellations, and kills. */
export const subjects: readonly Subject[] = [
  ...scenarios.map(agentSubject),
  reportSubject,
  collectSubject,
];
