import { setTimeout as wait } from 'node:timers/promises';
import { RunStream } from '../agent/run-stream.ts';
import { getJson } from '../agent/rest.ts';
import { startAgent, startWorker, temporaryFolder, type AgentProcess } from '../agent/service.ts';
import { cpuMsOfTree, peakResidentMbOf } from '../process-readings.ts';
import type { Combination } from './combinations.ts';
import type { EngineReadings, Engines } from './engines.ts';

export interface DeploymentOptions {
  readonly engines: Engines;
  readonly combination: Combination;
  readonly modelUrl: string;
  /** Command line of the MCP server `echo`, for Node. */
  readonly serverArguments: readonly string[];
}

export interface Readings extends EngineReadings {
  /** CPU time of the API process, or of the only process, with its MCP servers. */
  readonly apiMs: number;
  /** CPU time of the workers with their MCP servers. */
  readonly workersMs: number;
  /** CPU time of this process: readers of the streams and the model. */
  readonly clientMs: number;
}

/** An event of a run as the API returns it. */
interface RunEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly data: { readonly call_id?: string };
}

/** A running service in one process or in several, on its engines. */
export class Deployment implements AsyncDisposable {
  readonly url: string;
  readonly #processes: readonly Omit<AgentProcess, 'url'>[];
  readonly #readEngines: () => Promise<EngineReadings>;
  readonly #removeFolder: () => PromiseLike<void>;

  private constructor(
    url: string,
    processes: readonly Omit<AgentProcess, 'url'>[],
    readEngines: () => Promise<EngineReadings>,
    removeFolder: () => PromiseLike<void>,
  ) {
    this.url = url;
    this.#processes = processes;
    this.#readEngines = readEngines;
    this.#removeFolder = removeFolder;
  }

  static async start({
    engines,
    combination,
    modelUrl,
    serverArguments,
  }: DeploymentOptions): Promise<Deployment> {
    const folder = await temporaryFolder();
    const { env, read } = await engines.share(combination);
    const variables = { ...env, OPENAI_API_KEY: 'k' };
    const agent = await startAgent({
      folder: folder.path,
      env: variables,
      more: combination.workers > 0 ? ['--role', 'api'] : [],
      config: {
        ...(combination.isDurable === true ? { durability: 'power' } : {}),
        llm: { provider: 'openai', wire: 'chat', model: 'fake', base_url: modelUrl },
        mcpServers: {
          echo: {
            command: process.execPath,
            args: serverArguments,
            signalbox: { trust: true, approval: 'auto' },
          },
        },
      },
    });
    const workers = await Promise.all(
      Array.from({ length: combination.workers }, () => startWorker(folder.path, variables)),
    );
    const deployment = new Deployment(agent.url, [agent, ...workers], read, () =>
      folder[Symbol.asyncDispose](),
    );
    await deployment.#toolsListed();
    return deployment;
  }

  async read(): Promise<Readings> {
    const [apiMs = 0, ...workersMs] = this.#processes.map(({ pid }) => cpuMsOfTree(pid));
    const { user, system } = process.cpuUsage();
    return {
      apiMs,
      workersMs: workersMs.reduce((sum, each) => sum + each, 0),
      clientMs: (user + system) / 1000,
      ...(await this.#readEngines()),
    };
  }

  /** Largest resident memory of one process of the service, in MB. */
  get peakMb(): number {
    return Math.max(...this.#processes.map(({ pid }) => peakResidentMbOf(pid)));
  }

  /** Runs an agent to its end and returns the id of the run. @throws Error for a run that failed */
  async run(turns: number): Promise<string> {
    let last = '';
    const { stream, runId } = await RunStream.start(
      this.url,
      { prompt: 'work', limits: { turns: turns + 1, tool_calls: turns } },
      {
        onEvent: (type) => {
          last = type;
        },
      },
    );
    await stream.ended;
    if (last !== 'run.completed')
      throw new Error(
        `A run ended with ${last}: ${JSON.stringify(await getJson(`${this.url}/v1/runs/${runId}`))}`,
      );
    return runId;
  }

  /** Resolves when the tools of the server are listed. */
  async #toolsListed(): Promise<void> {
    for (;;) {
      const tools = await getJson<{ readonly data: readonly object[] }>(
        `${this.url}/v1/tools`,
      ).catch(() => undefined);
      if (tools !== undefined && tools.data.length > 0) return;
      await wait(50);
    }
  }

  /**
   * Returns the milliseconds for which each job of a run waited: from the event of the transaction
   * that made the job due to the event of the transaction in which a worker started it.
   */
  async pickups(runId: string): Promise<readonly number[]> {
    const { data: events } = await getJson<{ readonly data: readonly RunEvent[] }>(
      `${this.url}/v1/runs/${runId}/events?limit=500`,
    );
    const times = new Map<string, number>();
    const waits: number[] = [];
    for (const { type, at, data } of events) {
      const job = type.startsWith('run.') ? 'run' : data.call_id;
      if (job === undefined) continue;
      if (type === 'run.queued' || type === 'tool_call.planned') times.set(job, Date.parse(at));
      if (type === 'run.started' || type === 'tool_call.dispatched')
        waits.push(Date.parse(at) - (times.get(job) ?? Number.NaN));
    }
    return waits;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#processes.toReversed()) await each.stop();
    await this.#removeFolder();
  }
}
