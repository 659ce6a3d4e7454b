import type { SimClock } from '../clock/clock.ts';
import { Refusal } from '../http/api.ts';
import { hourlyLimit } from './hourly-limit.ts';
import { Job, type JobScript, USUAL_JOB } from './job.ts';
import { VisitorAnalytics } from './visitors/analytics.ts';

export interface Project {
  readonly id: string;
  readonly organization: string;
}

/** The default project, and a key for its organization. */
export const DEFAULT_PROJECT = {
  id: 'prj_simulated_docs',
  organization: 'org_simulated',
  apiKey: 'mint_fake_0000simulated0000',
};

/** The documentation service: its projects, keys, jobs, and visitors. */
export class SimulatedService {
  readonly projectId: string = DEFAULT_PROJECT.id;
  readonly apiKey: string = DEFAULT_PROJECT.apiKey;
  readonly jobs: Job[] = [];
  /** Where new jobs open their pull requests. */
  repositoryUrl = 'https://github.com/octo-org/docs';
  readonly visitors: VisitorAnalytics;
  /** The hourly limit for a project's jobs and messages. */
  readonly limit = { usesPerHour: 100 };

  readonly #clock: SimClock;
  readonly #projects = new Map<string, Project>();
  /** The organization of each key. A key works for all projects of its organization. */
  readonly #keys = new Map<string, string>();
  #created = 0;
  readonly #countUse: ReturnType<typeof hourlyLimit>;
  readonly #nextJobs: Partial<JobScript>[] = [];
  readonly #nextMessages: Partial<JobScript>[] = [];
  #usual: JobScript = USUAL_JOB;

  constructor(clock: SimClock) {
    this.#clock = clock;
    this.visitors = new VisitorAnalytics(clock);
    this.#countUse = hourlyLimit(clock);
    this.addProject(DEFAULT_PROJECT);
  }

  /** Adds a project and, with `apiKey`, a key for its organization. */
  addProject({ id, organization, apiKey }: Project & { readonly apiKey?: string }): void {
    this.#projects.set(id, { id, organization });
    if (apiKey !== undefined) this.addKey(apiKey, organization);
  }

  /** Adds a key, by default for the default project's organization. */
  addKey(value: string, organization = DEFAULT_PROJECT.organization): void {
    this.#keys.set(value, organization);
  }

  /** Sets how all jobs and messages behave from now on. */
  script(patch: Partial<JobScript>): void {
    this.#usual = { ...this.#usual, ...patch };
  }

  /** Sets how the next job behaves. A second call applies to the job after that. */
  scriptNext(patch: Partial<JobScript>): void {
    this.#nextJobs.push(patch);
  }

  scriptNextMessage(patch: Partial<JobScript>): void {
    this.#nextMessages.push(patch);
  }

  authorize(projectId: string, keyValue: string): Project {
    const organization = this.#keys.get(keyValue);
    if (organization === undefined)
      throw new Refusal(401, { error: 'Unauthorized: invalid API key' });
    const project = this.#projects.get(projectId);
    if (project === undefined) throw new Refusal(404, { error: 'Project not found' });
    if (organization !== project.organization)
      throw new Refusal(403, { error: 'Forbidden: the key belongs to a different organization' });
    return project;
  }

  createJob(prompt: string, projectId: string = this.projectId): Job {
    this.#countUse(projectId, this.limit.usesPerHour);
    const script = { ...this.#usual, ...this.#nextJobs.shift() };
    this.#created += 1;
    const job = new Job(this.#clock, this.#created, projectId, prompt, script, this.repositoryUrl);
    this.jobs.push(job);
    return job;
  }

  sendMessage(id: string, prompt: string, projectId: string = this.projectId): Job {
    const job = this.getJob(id, projectId);
    this.#countUse(projectId, this.limit.usesPerHour);
    const script = { ...this.#usual, ...this.#nextMessages.shift() };
    // The interface doesn't say what a message does to an archived job. Here, the job stays archived.
    job.addRound(
      prompt,
      job.status === 'archived' ? { ...script, staleMs: Number.POSITIVE_INFINITY } : script,
    );
    return job;
  }

  getJob(id: string, projectId: string = this.projectId): Job {
    const job = this.jobs.find((created) => created.id === id && created.projectId === projectId);
    if (job === undefined) throw new Refusal(404, { error: 'Job not found' });
    return job;
  }

  forget(id: string): void {
    this.jobs.splice(this.jobs.indexOf(this.getJob(id)), 1);
  }
}
