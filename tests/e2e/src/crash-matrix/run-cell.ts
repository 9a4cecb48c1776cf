import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiClient, type RunView } from '../support/client.ts';
import { startModelServer, type ModelServer } from '../support/model-server.ts';
import { writeScenario } from '../support/scenario.ts';
import { hooksWithout } from '../support/crash-hooks.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type Service,
  type ServiceProcess,
} from '../support/service.ts';
import type { Guard } from './controls.ts';
import { needsEffect, toolOf, type Cell } from './matrix.ts';

/** State after the run has ended. */
export interface CellResult {
  readonly status: string;
  /** Lines in the ledger of the server. */
  readonly effects: number;
  readonly asksPerson: boolean;
  /** Whether the process was killed at the point. */
  readonly wasKilled: boolean;
  /** Whether the sequence numbers of the events are 1, 2, 3… without gaps. */
  readonly isContinuous: boolean;
  /** Time from the restart to the end of the run. */
  readonly recoveryMs: number;
  /** Whether the stream of the run reached its last event. Default: yes. */
  readonly isStreamed?: boolean;
  /** Types of the events that a worker stored after its lease. Default: none. */
  readonly lateEvents?: readonly string[];
}

export interface CellOptions {
  /** URL of the server that is not killed. */
  readonly serverUrl: string;
  /** Guard that is switched off. Default: none. */
  readonly guardOff?: Guard;
  /** Whether a service that is not to be killed runs in this process. Default: no. */
  readonly survivesInProcess?: boolean;
}

const crashingService = fileURLToPath(new URL('../support/crashing-service.ts', import.meta.url));
const countingServer = fileURLToPath(new URL('counting-server.ts', import.meta.url));
const PROMPT = 'count';
/** Time after which a run without progress fails its cell. */
const CELL_LIMIT_MS = 150_000;

/** Runs one call, kills the process as the cell says, and answers each inbox item at once. */
export async function runCell(cell: Cell, options: CellOptions): Promise<CellResult> {
  const folder = await temporaryFolder();
  const cellRun = new CellRun(cell, folder.path, options);
  const limit = setTimeout(() => void cellRun.end(), CELL_LIMIT_MS);
  try {
    return await cellRun.run();
  } finally {
    clearTimeout(limit);
    await cellRun.end();
    await folder.remove();
  }
}

class CellRun {
  readonly #cell: Cell;
  readonly #folder: string;
  readonly #options: CellOptions;
  readonly #ledger: string;
  #service: Service | undefined;
  #process: ServiceProcess | undefined;
  #model: ModelServer | undefined;
  #asksPerson = false;

  constructor(cell: Cell, folder: string, options: CellOptions) {
    this.#cell = cell;
    this.#folder = folder;
    this.#options = options;
    this.#ledger = join(folder, 'ledger');
  }

  async run(): Promise<CellResult> {
    const { killing } = this.#cell;
    const points =
      killing.process === 'agent'
        ? ['firstAt' in killing ? killing.firstAt : undefined, killing.at].filter(
            (point) => point !== undefined,
          )
        : [];
    // A call that is held until its cancellation has no result that the server could store under the idempotency key.
    const isHeld = this.#cell.cancels === true || this.#options.guardOff === 'ledger';
    const input = { ledger: this.#ledger, ...(isHeld ? { hold: true } : {}) };
    await writeScenario(this.#folder, [
      {
        prompt: PROMPT,
        steps: [[{ tool: `counting__${toolOf[this.#cell.kind]}`, input }]],
        answer: 'counted',
      },
    ]);
    if (this.#cell.modelFails === true) await this.#startModel(input);
    let wasKilled = killing.process === 'agent';
    for (const point of points) wasKilled &&= await this.#runUntilKilled(point);
    const begun = performance.now();
    const run = await this.#runOnce();
    const recoveryMs = performance.now() - begun;
    const api = new ApiClient(this.#service?.url ?? '');
    const seqs = (await api.events(run.id)).map((event) => event.seq);
    return {
      status: run.status,
      effects: this.#effects,
      asksPerson: this.#asksPerson,
      wasKilled: wasKilled || (killing.process === 'server' && existsSync(`${this.#ledger}.died`)),
      isContinuous: seqs.every((seq, index) => seq === index + 1) && seqs.length === run.last_seq,
      recoveryMs,
    };
  }

  async end(): Promise<void> {
    await this.#process?.stop('SIGKILL');
    await this.#service?.stop();
    await this.#model?.close();
    this.#model = undefined;
  }

  /** Starts a model that makes the call, fails once, and answers. */
  async #startModel(input: object): Promise<void> {
    this.#model = await startModelServer();
    const name = `counting__${toolOf[this.#cell.kind]}`;
    this.#model.say(
      { call: { name, arguments: JSON.stringify(input) }, finish: 'tool_calls' },
      { status: 503 },
      { text: 'counted', finish: 'stop' },
    );
  }

  get #effects(): number {
    return existsSync(this.#ledger) ? readFileSync(this.#ledger, 'utf8').split('\n').length - 1 : 0;
  }

  /** Starts the service and waits until it is killed. Returns false when the run completed, or the service did not start or ended for another reason. */
  async #runUntilKilled(point: string): Promise<boolean> {
    const mark = join(this.#folder, `killed-${point}`);
    // The point may be passed during the start.
    const ended = await this.#runOnce({
      CRASH_AT: point,
      CRASH_MARK: mark,
      ...(needsEffect(this.#cell.kind, point) ? { CRASH_EVIDENCE: this.#ledger } : {}),
    }).then(
      () => true,
      () => false,
    );
    if (ended) return false;
    const child = this.#process?.process;
    if (child !== undefined && child.exitCode === null && child.signalCode === null)
      await new Promise((resolve) => child.once('exit', resolve));
    return existsSync(mark);
  }

  /** Starts the service, and the run unless it exists; resolves with the run when it has ended. Rejects when the service is killed. */
  async #runOnce(env: { readonly [name: string]: string } = {}): Promise<RunView> {
    const service = await this.#start(env);
    const api = new ApiClient(service.url);
    const [known] = (await api.get<{ data: RunView[] }>('/v1/runs')).data;
    if (known !== undefined && this.#options.guardOff === 'recovery')
      return this.#afterSecondRun(api, known.id);
    const { id } = known ?? (await api.start(PROMPT));
    const answered = new Set<string>();
    let isCancelWanted = this.#cell.cancels === true && 'CRASH_AT' in env;
    for await (const event of api.stream(id)) {
      if (event.type === 'inbox.opened') await this.#answer(api, id, answered);
      if (event.type === 'tool_call.progress' && isCancelWanted) {
        isCancelWanted = false;
        await api.post(`/v1/runs/${id}/cancel`);
      }
    }
    return api.run(id);
  }

  /** Starts a second run and waits for its end. Returns the state of the first. */
  async #afterSecondRun(api: ApiClient, id: string): Promise<RunView> {
    await api.settled((await api.start(PROMPT)).id);
    return api.run(id);
  }

  async #answer(api: ApiClient, runId: string, answered: Set<string>): Promise<void> {
    for (const item of (await api.run(runId)).inbox) {
      if (answered.has(item.id)) continue;
      answered.add(item.id);
      if (item.kind === 'outcome_unknown') {
        this.#asksPerson = true;
        await api.post(`/v1/inbox/${item.id}/respond`, {
          action: this.#effects === 0 ? 'retry' : 'mark_done',
        });
      } else {
        if (this.#cell.killing.at === 'while-asked') await this.#serverEnded(api);
        await api.post(`/v1/inbox/${item.id}/respond`, {
          action: 'accept',
          content: { sure: true },
        });
      }
    }
  }

  /** Resolves when the service has noticed the end of the server. An answer before that would be sent to the dead server and lost. */
  async #serverEnded(api: ApiClient): Promise<void> {
    const deadline = performance.now() + CELL_LIMIT_MS;
    for (;;) {
      const [server] = (
        await api.get<{ data: { state: string; restarts: number }[] }>('/v1/servers')
      ).data;
      if (server?.state !== 'ready' || server.restarts > 0) return;
      if (performance.now() > deadline) throw new Error('the server did not end');
    }
  }

  async #start(env: { readonly [name: string]: string }): Promise<Service> {
    const { killing } = this.#cell;
    const { guardOff, serverUrl, survivesInProcess = false } = this.#options;
    const rules = { trust: true, approval: 'auto' };
    const server =
      killing.process === 'agent'
        ? { url: serverUrl, signalbox: rules }
        : {
            command: 'node',
            args: [countingServer],
            env: {
              DIE_AT: killing.at,
              MCP_STATE_KEY: 'a-key-that-outlives-the-process-0123456789',
            },
            signalbox: rules,
          };
    const options = {
      folder: this.#folder,
      config: {
        llm:
          this.#model === undefined
            ? { provider: 'scripted', scenario: join(this.#folder, 'scenario.json') }
            : { provider: 'openai', model: 'the-model', base_url: this.#model.url },
        mcpServers: { counting: server },
      },
    };
    if (survivesInProcess && !('CRASH_AT' in env)) {
      this.#service = await startService({ ...options, hooks: hooksWithout(guardOff) });
      return this.#service;
    }
    this.#service = this.#process = await startServiceProcess({
      ...options,
      program: crashingService,
      env: {
        ...env,
        ...(this.#model === undefined ? {} : { OPENAI_API_KEY: 'key-for-the-mock' }),
        ...(guardOff === undefined ? {} : { GUARD_OFF: guardOff }),
      },
    });
    return this.#service;
  }
}
