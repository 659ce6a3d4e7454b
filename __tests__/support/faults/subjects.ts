import { followUp, mergedPush, promptWithThread, simpleCommand } from '../scenarios/agent.ts';
import { agentSubject } from './agent.ts';
import type { Subject } from './case.ts';
import { collectSubject } from './collect.ts';
import { reportSubject } from './report.ts';

/** Every way to use the action, as the fault matrix plays it. */
export const subjects: readonly Subject[] = [
  ...[simpleCommand, followUp, promptWithThread, mergedPush].map(agentSubject),
  reportSubject,
  collectSubject,
];
