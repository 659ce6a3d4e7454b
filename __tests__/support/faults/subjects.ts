import { scenarios } from '../scenarios/agent.ts';
import { agentSubject } from './agent.ts';
import type { Subject } from './case.ts';
import { collectSubject } from './collect.ts';
import { reportSubject } from './report.ts';

/** Every way to use the action, as the fault matrix plays it. */
export const subjects: readonly Subject[] = [...scenarios.map(agentSubject), reportSubject, collectSubject];
