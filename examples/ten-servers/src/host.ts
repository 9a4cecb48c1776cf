import type { CallToolResult, JsonObject, Tool, Transport } from '@signalbox/mcp-core';
import {
  connectClient,
  type Client,
  type InputHandlers,
  type RequestOptions,
} from '@signalbox/mcp-core/client';

export interface HostServer {
  /** Prefix of the server's tools; unique in the host, without `__`. */
  readonly name: string;
  readonly open: () => Promise<Transport> | Transport;
}

export interface HostOptions {
  readonly servers: readonly HostServer[];
  /** Returns the handlers of a server's requests for input. */
  readonly handlers: (server: string) => InputHandlers;
  /** Called when tools of a server appeared, changed or disappeared. */
  readonly onToolsChanged: (server: string) => void;
  /** Called when a server cannot be reached, or ended on its own. */
  readonly onProblem: (server: string, problem: unknown) => void;
}

const SEPARATOR = '__';

/** Many servers as one list of tools. A server that ends on its own is connected again, once for each end. */
export class Host {
  readonly #links: ReadonlyMap<string, ServerLink>;

  private constructor(links: ReadonlyMap<string, ServerLink>) {
    this.#links = links;
  }

  /** Connects all servers at once. A server that cannot be reached is reported and has no tools. */
  static async connect({ servers, ...options }: HostOptions): Promise<Host> {
    const links = new Map(
      servers.map((server) => [server.name, new ServerLink(server, options)] as const),
    );
    await Promise.all([...links.values()].map((link) => link.connect()));
    return new Host(links);
  }

  /** The tools of all servers, each under the name of its server. */
  get tools(): readonly Tool[] {
    return [...this.#links].flatMap(([server, { tools }]) =>
      tools.map((tool) => ({ ...tool, name: `${server}${SEPARATOR}${tool.name}` })),
    );
  }

  /** Calls a tool by its prefixed name. @throws Error for an unknown server; the errors of `Client.callTool` */
  async call(name: string, args: JsonObject, options?: RequestOptions): Promise<CallToolResult> {
    const end = name.indexOf(SEPARATOR);
    const client = this.#links.get(name.slice(0, end))?.client;
    if (client === undefined) throw new Error(`No connected server has the tool "${name}".`);
    return client.callTool(name.slice(end + SEPARATOR.length), args, options);
  }

  /** Ends all connections and processes. */
  async close(): Promise<void> {
    await Promise.all([...this.#links.values()].map((link) => link.close()));
  }
}

class ServerLink {
  tools: readonly Tool[] = [];
  client: Client | undefined;
  readonly #server: HostServer;
  readonly #options: Omit<HostOptions, 'servers'>;
  #isClosing = false;
  #refreshed: Promise<void> = Promise.resolve();

  constructor(server: HostServer, options: Omit<HostOptions, 'servers'>) {
    this.#server = server;
    this.#options = options;
  }

  async connect(): Promise<void> {
    try {
      this.client = await connectClient(this.#server.open, {
        info: { name: 'ten-servers', version: '1.0.0' },
        handlers: this.#options.handlers(this.#server.name),
        limits: { connectTimeoutMs: 20_000 },
        events: { onClosed: (error) => void this.#lost(error) },
      });
      // First subscribe, then list: no change is missed.
      await this.client.watch({ onToolsChanged: () => void this.#refresh() });
      await this.#refresh();
    } catch (error) {
      this.#options.onProblem(this.#server.name, error);
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.client?.close();
  }

  /** Lists the tools again, after the lists that are already requested. */
  #refresh(): Promise<void> {
    this.#refreshed = this.#list(this.#refreshed);
    return this.#refreshed;
  }

  async #list(earlier: Promise<void>): Promise<void> {
    await earlier;
    try {
      this.#setTools((await this.client?.listTools({ cache: 'refresh' })) ?? []);
    } catch (error) {
      if (!this.#isClosing) this.#options.onProblem(this.#server.name, error);
    }
  }

  /** The watch is restored with the connection, and then reports a change: the tools come back. */
  async #lost(error: Error | undefined): Promise<void> {
    if (this.#isClosing || this.client === undefined) return;
    this.#setTools([]);
    this.#options.onProblem(this.#server.name, error);
    try {
      await this.client.reconnect();
    } catch (failure) {
      this.#options.onProblem(this.#server.name, failure);
    }
  }

  #setTools(tools: readonly Tool[]): void {
    this.tools = tools;
    this.#options.onToolsChanged(this.#server.name);
  }
}
