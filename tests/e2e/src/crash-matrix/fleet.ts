import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiClient } from '../support/client.ts';
import { hooksWithout } from '../support/crash-hooks.ts';
import { lossyBus } from '../support/lossy-bus.ts';
import { startModelServer, type ModelServer } from '../support/model-server.ts';
import { planFaults, type PlannedFault } from '../support/planned-faults.ts';
import { writeScenario } from '../support/scenario.ts';
import { openStored, type Stored } from '../support/stored.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type Service,
  type ServiceProcess,
} from '../support/service.ts';
import type { Guard } from './controls.ts';
import type { Conditions } from './fleet-cells.ts';
import { stormOf } from './job-storm.ts';

const crashingService = fileURLToPath(new URL('../support/crashing-service.ts', import.meta.url));

/** Milliseconds that are added to the clocks of the first, second… worker. */
const SKEWS = [0, 60_000, -60_000];

/** The call of a run, selected by the prompt. */
export interface Script {
  readonly prompt: string;
  readonly tool: string;
  readonly input: object;
}

export interface FleetOptions {
  /** URL of the server that every worker calls. */
  readonly serverUrl: string;
  readonly scripts: (folder: string) => readonly Script[];
  /** Guard that is switched off in the workers, or in the API process if it is `look`. Default: none. */
  readonly guardOff?: Guard;
  /** Default: `calm`. */
  readonly conditions?: Conditions;
  /** Whether the model is a server instead of the scripts. Default: no. */
  readonly hasModelServer?: boolean;
}

/** An API process, which is this process, and workers on one data directory. */
export class Fleet {
  readonly folder: string;
  readonly api: ApiClient;
  readonly model: ModelServer | undefined;
  readonly guardOff: Guard | undefined;
  /** Whether leases end at once when their worker is killed or frozen, instead of after 6 seconds. */
  endsLeases = true;
  readonly #options: FleetOptions;
  readonly #removeFolder: () => Promise<void>;
  readonly #service: Service;
  readonly #workers = new Set<ServiceProcess>();
  readonly #stored: Stored;
  readonly #stopStorm: () => Promise<void>;
  #started = 0;

  private constructor(
    options: FleetOptions,
    parts: {
      readonly folder: Awaited<ReturnType<typeof temporaryFolder>>;
      readonly service: Service;
      readonly model: ModelServer | undefined;
      readonly stored: Stored;
    },
  ) {
    this.#options = options;
    this.folder = parts.folder.path;
    this.#removeFolder = () => parts.folder.remove();
    this.#service = parts.service;
    this.api = new ApiClient(parts.service.url);
    this.model = parts.model;
    this.guardOff = options.guardOff;
    this.#stored = parts.stored;
    this.#stopStorm = stormOf(this.#stored, options.conditions ?? 'calm');
  }

  static async start(options: FleetOptions): Promise<Fleet> {
    const folder = await temporaryFolder();
    mkdirSync(join(folder.path, 'marks'));
    await writeScenario(
      folder.path,
      options.scripts(folder.path).map(({ prompt, tool, input }) => ({
        prompt,
        steps: [[{ tool, input }]],
        answer: 'counted',
      })),
    );
    const model = options.hasModelServer === true ? await startModelServer() : undefined;
    const service = await startService({
      ...serviceOptions(folder.path, options, model),
      args: ['--role', 'api'],
      hooks: {
        ...(options.conditions === 'lossy' ? { bus: lossyBus } : {}),
        ...(options.guardOff === 'look' ? hooksWithout('look') : {}),
      },
    });
    const stored = await openStored(folder.path);
    return new Fleet(options, { folder, service, model, stored });
  }

  /** Starts workers until so many are alive. */
  async keepWorkers(count: number): Promise<void> {
    const missing = Math.max(0, count - this.#workers.size);
    const started = Array.from({ length: missing }, () => {
      const skewMs = SKEWS[this.#started % SKEWS.length];
      this.#started += 1;
      return this.#start(['--role', 'worker', '--port', '0'], {
        ...(this.guardOff === undefined || this.guardOff === 'look'
          ? {}
          : { GUARD_OFF: this.guardOff }),
        ...(this.#options.conditions === 'skewed' ? { CLOCK_SKEW_MS: String(skewMs) } : {}),
      });
    });
    for (const worker of await Promise.all(started)) {
      this.#workers.add(worker);
      worker.process.once('exit', () => {
        this.#workers.delete(worker);
        // If it fails, because the store is locked or closed, the lease takes its 6 seconds.
        if (this.endsLeases) void this.endLease(worker.process.pid).catch(() => undefined);
      });
    }
  }

  /** Starts an API process that meets the planned faults. */
  startApi(): Promise<ServiceProcess> {
    return this.#start(['--role', 'api'], {});
  }

  /** Kills every worker. */
  async killWorkers(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.stop('SIGKILL')));
  }

  plan(faults: readonly PlannedFault[]): void {
    planFaults(this.#planFile, faults);
  }

  /** Path of the file that a process creates before its planned fault. */
  markOf(name: string): string {
    return join(this.folder, 'marks', name);
  }

  /** Ends the lease of a process without the time that it takes. */
  async endLease(pid: number | undefined): Promise<void> {
    await this.#stored.query('update workers set heartbeat_at = 0 where pid = ?', [pid ?? 0]);
  }

  /** Returns the ids of a process as a worker whose lease was not ended by another one. */
  async idsOf(pid: number): Promise<readonly string[]> {
    const rows = await this.#stored.query<{ id: string }>(
      'select id from workers where pid = ? and ended_at is null',
      [pid],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the log of the workers that are alive. */
  logs(): string {
    return [...this.#workers].map((worker) => worker.log()).join('\n---\n');
  }

  async stop(): Promise<void> {
    await this.#stopStorm();
    // A frozen process ends only with SIGKILL.
    await this.killWorkers();
    await this.#service.stop();
    await this.#stored.close();
    await this.model?.close();
    await this.#removeFolder();
  }

  get #planFile(): string {
    return join(this.folder, 'plan.json');
  }

  #start(
    args: readonly string[],
    env: { readonly [name: string]: string },
  ): Promise<ServiceProcess> {
    const { conditions } = this.#options;
    const options = serviceOptions(this.folder, this.#options, this.model);
    return startServiceProcess({
      ...options,
      program: crashingService,
      args,
      env: {
        ...options.env,
        ...env,
        FAULT_PLAN: this.#planFile,
        ...(conditions === 'lossy' ? { LOSSY_BUS: '1' } : {}),
      },
    });
  }
}

function serviceOptions(
  folder: string,
  { serverUrl }: FleetOptions,
  model: ModelServer | undefined,
): { readonly folder: string; readonly config: object; readonly env: { [name: string]: string } } {
  return {
    folder,
    config: {
      llm:
        model === undefined
          ? { provider: 'scripted', scenario: join(folder, 'scenario.json') }
          : { provider: 'openai', model: 'the-model', base_url: model.url },
      mcpServers: {
        counting: { url: serverUrl, signalbox: { trust: true, approval: 'auto' } },
      },
    },
    env: model === undefined ? {} : { OPENAI_API_KEY: 'key-for-the-mock' },
  };
}
