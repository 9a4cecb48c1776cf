import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Protection } from '../support/crash-hooks.ts';
import { startServiceProcess, type ServiceProcess } from '../support/service.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import type { Environment, Links } from './environment.ts';
import type { Seeded } from './seeded.ts';

export interface FleetOptions {
  readonly folder: string;
  readonly config: object;
  readonly environment: Environment;
  readonly apis: number;
  readonly workers: number;
  /** Whether the clock of each worker that starts is a minute off, or not, at random. */
  readonly hasSkew: boolean;
  /** Whether the processes lose half of the signals between them. */
  readonly losesSignals: boolean;
  readonly guardOff?: Protection | undefined;
  readonly random: Seeded;
}

/** A place of a process: the process ends and another one is started in its place. */
export interface Member {
  readonly name: string;
  readonly role: 'api' | 'worker';
  readonly links: Links;
  /** Undefined before its first start. */
  process: ServiceProcess | undefined;
  /** Whether a fault disturbs the process. */
  isDisturbed: boolean;
}

const crashingService = fileURLToPath(new URL('../support/crashing-service.ts', import.meta.url));
const laterVersion = fileURLToPath(new URL('../support/later-version.ts', import.meta.url));
const skewedClock = new URL('skewed-clock.mjs', import.meta.url).href;
const SKEWS_MS = [0, 60_000, -60_000] as const;

/** Delay before a process is started again that could not start, in milliseconds, and its limit. */
const RESTART_MS = 300;
const START_LIMIT_MS = 60_000;

/** API processes behind one address, and workers, on one environment. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #members: Member[] = [];
  readonly #logs: string[] = [];
  readonly #edge: TcpProxy;
  #connections = 0;
  #skewedStarts = 0;
  /** Additive migrations of later versions, each of which adds a column to the table of runs. */
  readonly #migrations: string[] = [];
  #isStopping = false;
  /** The processes read one file of settings, which each start writes. */
  #starting: Promise<unknown> = Promise.resolve();

  static async start(options: FleetOptions): Promise<Fleet> {
    // The next API process that is alive gets the next connection.
    const edge = await TcpProxy.start(() => fleet.#nextApi());
    const fleet = new Fleet(options, edge);
    for (const [role, count] of [
      ['api', options.apis],
      ['worker', options.workers],
    ] as const)
      for (let number = 1; number <= count; number += 1) {
        const links = await options.environment.openLinks();
        const member = { role, links, isDisturbed: false };
        fleet.#members.push({ ...member, name: `${role} ${number}`, process: undefined });
      }
    for (const member of fleet.#members) await fleet.restart(member);
    return fleet;
  }

  private constructor(options: FleetOptions, edge: TcpProxy) {
    this.#options = options;
    this.#edge = edge;
  }

  /** Base URL of the API, which stays the same. */
  get url(): string {
    return `http://127.0.0.1:${this.#edge.port}`;
  }

  /** Proxy between the clients and the API processes. */
  get edge(): TcpProxy {
    return this.#edge;
  }

  /** Number of workers that were started with a clock that is a minute off. */
  get skewedStarts(): number {
    return this.#skewedStarts;
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  /** Ids of the processes that run. */
  get pids(): readonly number[] {
    return this.#members.filter(isAlive).map(({ process: child }) => child?.process.pid ?? 0);
  }

  /** The text that all processes wrote to stderr. */
  log(): string {
    return [...this.#logs, ...this.#members.map((member) => member.process?.log() ?? '')].join('');
  }

  /** Ends a process. Resolves when it has ended. */
  async end(member: Member, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await member.process?.stop(signal);
  }

  /** Starts a process in the place of one that ended, again and again until it can start. */
  async restart(member: Member, migrations: readonly string[] = []): Promise<void> {
    this.#logs.push(member.process?.log() ?? '');
    member.process = undefined;
    for (const until = performance.now() + START_LIMIT_MS; !this.#isStopping;) {
      try {
        member.process = await this.#inTurn(() => this.#start(member, migrations));
        return;
      } catch (error) {
        if (performance.now() > until) throw error;
        await wait(RESTART_MS);
      }
    }
  }

  /** Starts a process of a later version in the place of one that ended. It migrates the database while the others work. */
  async update(member: Member): Promise<void> {
    this.#migrations.push(`09${String(this.#migrations.length).padStart(2, '0')}-later.additive`);
    await this.restart(member, this.#migrations);
  }

  /**
   * Starts a worker while no other process starts, with `around` it; of a later version with a
   * migration that is not additive, or of this version. Returns the error text of a start that failed.
   */
  async tryStart(
    version: 'later' | 'this',
    around: (start: () => Promise<void>) => Promise<void>,
  ): Promise<string> {
    const { environment } = this.#options;
    const member: Member = {
      name: 'a worker of another version',
      role: 'worker',
      links: this.#members[0]?.links ?? (await environment.openLinks()),
      process: undefined,
      isDisturbed: true,
    };
    let text = '';
    await this.#inTurn(() =>
      around(async () => {
        try {
          const migrations = version === 'later' ? [...this.#migrations, '0999-later'] : [];
          const started = await this.#start(member, migrations);
          await started.stop('SIGKILL');
        } catch (error) {
          text = String(error);
        }
      }),
    );
    return text;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#starting;
    for (const { process: child } of this.#members) child?.process.kill('SIGCONT');
    await Promise.all(this.#members.map(async ({ process: child }) => child?.stop()));
    await this.#edge.close();
  }

  #nextApi(): number | undefined {
    const apis = this.#members.filter((member) => member.role === 'api' && isAlive(member));
    this.#connections += 1;
    const url = apis[this.#connections % apis.length]?.process?.url;
    return url === undefined ? undefined : Number(new URL(url).port);
  }

  /** Runs starts one after another. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#starting.then(work);
    this.#starting = done.catch(() => undefined);
    return done;
  }

  /** Starts a process of this version, or of a later one with further migrations. */
  #start({ role, links }: Member, migrations: readonly string[]): Promise<ServiceProcess> {
    const { folder, config, environment, guardOff, losesSignals } = this.#options;
    return startServiceProcess({
      folder,
      config,
      program: migrations.length === 0 ? crashingService : laterVersion,
      args: ['--role', role, ...(role === 'worker' ? ['--port', '0'] : [])],
      env: {
        ...environment.variablesOf(links),
        ...(migrations.length === 0 ? {} : { LATER_MIGRATIONS: migrations.join(',') }),
        ...(losesSignals ? { LOSSY_BUS: '1' } : {}),
        ...(role === 'worker' ? this.#skew() : {}),
        ...(guardOff === undefined || (guardOff === 'look' && role === 'worker')
          ? {}
          : { GUARD_OFF: guardOff }),
      },
    });
  }

  /** Returns the variables of a process whose clock is off. SQLite measures leases with the clock of the machine, which stays. */
  #skew(): { readonly [name: string]: string } {
    const { hasSkew, random, environment } = this.#options;
    const skewMs = hasSkew ? random.pick(SKEWS_MS) : 0;
    if (skewMs === 0) return {};
    this.#skewedStarts += 1;
    const isOfMachine = environment.engines.store === 'postgres';
    return isOfMachine
      ? { MACHINE_SKEW_MS: String(skewMs), NODE_OPTIONS: `--import=${skewedClock}` }
      : { CLOCK_SKEW_MS: String(skewMs) };
  }
}

export function isAlive({ process: child }: Member): boolean {
  return (
    child !== undefined && child.process.exitCode === null && child.process.signalCode === null
  );
}
