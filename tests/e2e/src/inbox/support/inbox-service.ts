import { ApiClient, type Json } from '../../support/client.ts';
import { runToEnd, type Ended } from '../../support/command.ts';
import { writeScenario } from '../../support/scenario.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type Service,
  type ServiceProcess,
} from '../../support/service.ts';

export interface Item extends Json {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly request: Json;
}

interface AuditEntry {
  readonly who: string;
  readonly kind: string;
  readonly decision?: string;
  readonly outcome?: string;
}

/** A service with servers that ask, and the ways to answer: REST and `signalbox inbox`. */
export class InboxService {
  readonly #home: Awaited<ReturnType<typeof temporaryFolder>>;
  #service: Service | undefined;
  #process: ServiceProcess | undefined;
  #config: object = {};

  private constructor(home: Awaited<ReturnType<typeof temporaryFolder>>) {
    this.#home = home;
  }

  /** In a folder of its own; nothing runs yet. */
  static async create(): Promise<InboxService> {
    return new InboxService(await temporaryFolder());
  }

  get folder(): string {
    return this.#home.path;
  }

  get url(): string {
    if (this.#service === undefined) throw new Error('the service was not started');
    return this.#service.url;
  }

  get api(): ApiClient {
    return new ApiClient(this.url);
  }

  async start(
    mcpServers: { readonly [name: string]: object },
    scripts: Parameters<typeof writeScenario>[1],
  ): Promise<void> {
    await this.#configure(mcpServers, scripts);
    this.#service = await startService({ folder: this.folder, config: this.#config });
  }

  /** Starts the service as a process of its own, which `restart` can end. */
  async startProcess(
    mcpServers: { readonly [name: string]: object },
    scripts: Parameters<typeof writeScenario>[1],
  ): Promise<void> {
    await this.#configure(mcpServers, scripts);
    this.#process = await startServiceProcess({ folder: this.folder, config: this.#config });
    this.#service = this.#process;
  }

  async #configure(mcpServers: object, scripts: Parameters<typeof writeScenario>[1]) {
    const scenario = await writeScenario(this.folder, scripts);
    this.#config = { llm: { provider: 'scripted', scenario }, mcpServers };
  }

  /** Ends the service, a process of its own as kill -9 does, and starts it again in this process, perhaps with other servers. */
  async restart(mcpServers?: { readonly [name: string]: object }): Promise<void> {
    if (this.#process === undefined) await this.#service?.stop();
    else await this.#process.stop('SIGKILL');
    if (mcpServers !== undefined) this.#config = { ...this.#config, mcpServers };
    this.#process = undefined;
    this.#service = await startService({ folder: this.folder, config: this.#config });
  }

  async close(): Promise<void> {
    await this.#service?.stop();
    await this.#home.remove();
  }

  /** The first item of this kind that the run has open, or opens. */
  async item(runId: string, kind: string): Promise<Item> {
    for await (const { type, data } of this.api.stream(runId)) {
      if (type !== 'inbox.opened' || data['kind'] !== kind) continue;
      const item = await this.api.get<Item>(`/v1/inbox/${String(data['inbox_item_id'])}`);
      if (item.state === 'open') return item;
    }
    throw new Error(
      `run ${runId} ended without a ${kind}: ${JSON.stringify(await this.api.run(runId))}`,
    );
  }

  respond(item: Item, response: Json): Promise<Item> {
    return this.api.post(`/v1/inbox/${item.id}/respond`, response);
  }

  /** Entries with who, about what, and the decision or the outcome. */
  async audit(runId: string): Promise<readonly string[]> {
    const { data } = await this.api.get<{ readonly data: readonly AuditEntry[] }>(
      `/v1/audit?run_id=${runId}`,
    );
    return data.map(({ who, kind, decision, outcome }) => `${who} ${kind} ${decision ?? outcome}`);
  }

  /** Runs `signalbox inbox …` against the service. */
  cli(...args: readonly string[]): Promise<Ended> {
    return runToEnd(['inbox', ...args], {
      folder: this.folder,
      env: { SIGNALBOX_URL: this.url },
    });
  }
}
