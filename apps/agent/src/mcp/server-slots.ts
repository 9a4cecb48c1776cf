import type { ServerConfig } from '../config/config.ts';
import type { PooledServer } from './pooled-server.ts';

interface Slot {
  server: PooledServer;
  /** Follows the server once its calls have ended. */
  next: { readonly config: ServerConfig } | 'none' | undefined;
}

export interface ServerSlotsOptions {
  /** Creates a server without connecting it. */
  readonly create: (config: ServerConfig) => PooledServer;
  /** Called when a server was replaced or removed, before it is closed. */
  readonly onReplaced: (name: string) => void;
}

/** Maximum number of removed servers whose names are kept, to give the reason to runs that call them. */
const MAX_REMOVED = 1000;

/**
 * The servers of a pool by name. A server that is replaced or removed accepts no new calls, and ends
 * once those in flight have ended; its successor starts after the end of its processes.
 */
export class ServerSlots {
  readonly #options: ServerSlotsOptions;
  readonly #slots = new Map<string, Slot>();
  /** Names of removed servers. */
  readonly #removed = new Set<string>();
  readonly #closing = new Set<Promise<void>>();
  #all: readonly PooledServer[] = [];
  #isStarted = false;
  #isClosed = false;

  constructor(servers: readonly ServerConfig[], options: ServerSlotsOptions) {
    this.#options = options;
    for (const config of servers) this.put(config);
  }

  get all(): readonly PooledServer[] {
    return this.#all;
  }

  get(name: string): PooledServer | undefined {
    return this.#slots.get(name)?.server;
  }

  /** Whether a server of that name was removed, and none was added since. */
  isRemoved(name: string): boolean {
    return this.#removed.has(name);
  }

  /** Makes servers that are added from now on connect at once. */
  start(): void {
    this.#isStarted = true;
  }

  /** Adds a server, or replaces the server of that name. */
  put(config: ServerConfig): void {
    if (this.#isClosed) return;
    this.#removed.delete(config.name);
    const slot = this.#slots.get(config.name);
    if (slot !== undefined) return this.#drainTo(slot, { config });
    const server = this.#options.create(config);
    this.#slots.set(config.name, { server, next: undefined });
    this.#list();
    if (this.#isStarted) server.start();
  }

  /** Removes a server. Does nothing if there is none of that name. */
  remove(name: string): void {
    const slot = this.#slots.get(name);
    if (slot !== undefined && !this.#isClosed) this.#drainTo(slot, 'none');
  }

  /** Continues a replacement or removal. To be called when the state of a server has changed. */
  onChange(name: string): void {
    const slot = this.#slots.get(name);
    if (slot?.next === undefined || this.#isClosed) return;
    const { state } = slot.server.stage;
    if (state === 'drained') this.#replace(name, slot, slot.next);
    // Another command connected the server again; it has to finish before the server is drained.
    else if (state !== 'draining') queueMicrotask(() => this.#drainAgain(slot));
  }

  /** Ends every server. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.all.map((server) => server.close()), ...this.#closing]);
  }

  #drainTo(slot: Slot, next: Slot['next']): void {
    slot.next = next;
    slot.server.drain('graceful');
  }

  #drainAgain({ next, server }: Slot): void {
    if (next !== undefined && !this.#isClosed) server.drain('graceful');
  }

  #replace(name: string, slot: Slot, next: NonNullable<Slot['next']>): void {
    const before = slot.server;
    slot.next = undefined;
    if (next === 'none') {
      this.#slots.delete(name);
      this.#remember(name);
    } else slot.server = this.#options.create(next.config);
    this.#list();
    this.#options.onReplaced(name);
    const { server } = slot;
    const startNext = (): void => {
      this.#closing.delete(closing);
      const isCurrent = this.#slots.get(name)?.server === server && server !== before;
      if (isCurrent && this.#isStarted && !this.#isClosed) server.start();
    };
    const closing = before.close().then(startNext, startNext);
    this.#closing.add(closing);
  }

  #remember(name: string): void {
    this.#removed.add(name);
    const [oldest] = this.#removed;
    if (this.#removed.size > MAX_REMOVED && oldest !== undefined) this.#removed.delete(oldest);
  }

  #list(): void {
    this.#all = [...this.#slots.values()].map(({ server }) => server);
  }
}
