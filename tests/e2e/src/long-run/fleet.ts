import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { agentMain, startServiceProcess, type ServiceProcess } from '../support/service.ts';
import type { Seeded } from './seeded.ts';

/** A protection of the service that can be switched off. */
export type Guard = 'ledger' | 'lease';

const guardedService = fileURLToPath(new URL('guarded-service.ts', import.meta.url));

/** Kinds of disruptions of a process. A long freeze is longer than the lease of a worker. */
export const DISRUPTIONS = ['kill', 'stop', 'freeze', 'long-freeze', 'kill-api'] as const;
export type Disruption = (typeof DISRUPTIONS)[number];

export interface FleetOptions {
  readonly folder: string;
  readonly config: object;
  readonly workers: number;
  readonly guardOff?: Guard | undefined;
}

/** An API process and workers on one data directory, which are disrupted and started again. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #workers: ServiceProcess[] = [];
  readonly #logs: string[] = [];
  readonly #counts = new Map<Disruption, number>();
  #api: ServiceProcess | undefined;
  /** The processes read one file of settings, which each start writes. */
  #starting: Promise<unknown> = Promise.resolve();

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#api?.url ?? '';
  }

  /** Number of disruptions so far, by kind. */
  get disruptions(): ReadonlyMap<Disruption, number> {
    return this.#counts;
  }

  /** Ids of the processes that run. */
  get pids(): readonly number[] {
    return this.#all()
      .filter(({ process: child }) => child.exitCode === null && child.signalCode === null)
      .map(({ process: child }) => child.pid ?? 0);
  }

  /** The text that all processes wrote to stderr. */
  log(): string {
    return [...this.#logs, ...this.#all().map((each) => each.log())].join('');
  }

  async start(): Promise<void> {
    this.#api = await this.#start('api');
    for (let index = 0; index < this.#options.workers; index += 1)
      this.#workers[index] = await this.#start('worker');
  }

  /** Disrupts the processes at random until the signal; then all of them run. */
  async disrupt(random: Seeded, signal: AbortSignal): Promise<void> {
    await Promise.all([
      ...this.#workers.map((_, index) => this.#disruptWorker(index, random.fork(), signal)),
      this.#disruptApi(random.fork(), signal),
    ]);
  }

  /** Stops the worker with the process until the condition holds, and lets it continue. */
  async freezeUntil(pid: number, condition: () => boolean): Promise<void> {
    this.#count('long-freeze');
    process.kill(pid, 'SIGSTOP');
    while (!condition()) await wait(50);
    process.kill(pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    await this.#starting;
    for (const { process: child } of this.#all()) child.kill('SIGCONT');
    await Promise.all(this.#all().map((each) => each.stop()));
  }

  #all(): readonly ServiceProcess[] {
    return [...(this.#api === undefined ? [] : [this.#api]), ...this.#workers];
  }

  async #disruptWorker(index: number, random: Seeded, signal: AbortSignal): Promise<void> {
    while (await pause(random.between(1000, 4000), signal)) {
      const kind = random.pick(['kill', 'kill', 'stop', 'freeze', 'long-freeze']);
      const ms = random.between(0, 3000);
      if (kind === 'freeze' || kind === 'long-freeze') {
        await this.#freeze(index, kind, kind === 'freeze' ? 500 + ms : 7000 + ms);
        continue;
      }
      this.#count(kind);
      const ended = this.#workers[index];
      await ended?.stop(kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
      this.#logs.push(ended?.log() ?? '');
      await wait(ms);
      this.#workers[index] = await this.#start('worker');
    }
  }

  async #disruptApi(random: Seeded, signal: AbortSignal): Promise<void> {
    while (await pause(random.between(10_000, 20_000), signal)) {
      this.#count('kill-api');
      await this.#api?.stop('SIGKILL');
      this.#logs.push(this.#api?.log() ?? '');
      this.#api = await this.#start('api');
    }
  }

  async #freeze(index: number, kind: Disruption, ms: number): Promise<void> {
    const child = this.#workers[index]?.process;
    this.#count(kind);
    child?.kill('SIGSTOP');
    await wait(ms);
    child?.kill('SIGCONT');
  }

  #count(kind: Disruption): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  #start(role: 'api' | 'worker'): Promise<ServiceProcess> {
    const { folder, config, guardOff } = this.#options;
    const started = this.#starting.then(() =>
      startServiceProcess({
        folder,
        config,
        program: guardOff === undefined ? agentMain : guardedService,
        args: ['--role', role, ...(role === 'worker' ? ['--port', '0'] : [])],
        env: guardOff === undefined ? {} : { GUARD_OFF: guardOff },
      }),
    );
    this.#starting = started.catch(() => undefined);
    return started;
  }
}

/** Waits. Returns false when the signal ended the wait. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}
