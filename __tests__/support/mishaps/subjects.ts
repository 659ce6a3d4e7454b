import { scenarios } from '../scenarios/agent.ts';
import { agentSubject } from './agent.ts';
import { collectSubject } from './collect.ts';
import type { Subject } from './matrix.ts';
import { reportSubject } from './report.ts';

/** Every way to use the action. */
export const subjects: readonly Subject[] = [...scenarios.map(agentSubject), reportSubject, collectSubject];
