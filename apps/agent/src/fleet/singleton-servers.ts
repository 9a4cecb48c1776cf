import { isDeepStrictEqual } from 'node:util';
import type { ServerPool } from '../mcp/server-pool.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { ListedTool } from '../ports/server-state.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { FleetStore } from '../ports/store/fleet.ts';
import type { HandedJobs } from '../ports/store/handed-jobs.ts';
import type { ServerOwners } from '../ports/store/server-owners.ts';
import type { ToolCall } from '../ports/store/tool-call.ts';
import { FailureLog } from '../run/core/failure-log.ts';
import type { SchemaChecks } from '../schema/schema-checks.ts';
import { PollLoop } from './poll-loop.ts';
import { singletonPool, type OwnedElsewhere } from './singleton-pool.ts';
import type { StoredServers } from './stored-servers.ts';

export interface SingletonServersOptions {
  readonly pool: ServerPool;
  /**
   * Names of the singleton servers, which the pool holds. A server that this worker owns is removed
   * from the set.
   */
  readonly held: Set<string>;
  readonly owners: ServerOwners;
  readonly fleet: Pick<FleetStore, 'settings'>;
  /** Stored states of the singleton servers. */
  readonly stored: StoredServers;
  readonly handed: Pick<HandedJobs, 'handTo'>;
  /** Returns the id of this process as a worker. It changes when a lease is lost. */
  readonly workerId: () => string;
  readonly bus: SignalBus;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly schemas: SchemaChecks;
}

/** Milliseconds until a call that still waits is handed to the same owner again. */
const HAND_AGAIN_MS = 5000;

/** Maximum number of handed calls that are remembered. */
const MAX_HANDED = 10_000;

/**
 * The singleton servers on one worker. The worker that owns such a server is connected to it; the
 * others offer the tools that the owner stored and leave their calls to it. When the lease of the
 * owner has ended, another worker claims the server.
 */
export class SingletonServers {
  /** The pool, with the servers of other workers as these stored them. */
  readonly pool: ServerPool;
  readonly #options: SingletonServersOptions;
  readonly #names: readonly string[];
  readonly #owners = new Map<string, string | undefined>();
  /** Servers that this worker claimed and that have not connected or failed since. */
  readonly #connecting = new Set<string>();
  readonly #elsewhere = new Map<string, OwnedElsewhere>();
  readonly #listeners = new Set<() => void>();
  /** Time at which a call was handed to an owner, by call, attempt and owner. */
  readonly #handedAt = new Map<string, number>();
  readonly #failures: FailureLog;
  #loop: PollLoop | undefined;

  constructor(options: SingletonServersOptions) {
    this.#options = options;
    this.#failures = new FailureLog(
      options.logger,
      'the owners of singleton servers could not be read or changed; this will be retried',
    );
    this.#names = [...options.held];
    options.pool.onServerChange(({ name, state }) => {
      if (state !== 'connecting') this.#connecting.delete(name);
      this.#changed();
    });
    this.pool = singletonPool({
      ...options,
      elsewhere: this.#elsewhere,
      isMirrored: (name) => options.held.has(name) || this.#connecting.has(name),
      listeners: this.#listeners,
    });
  }

  /** Claims the servers without an owner. To be called when this process is a worker, before the pool starts. */
  async start(): Promise<void> {
    const { pool, held, bus, clock } = this.#options;
    await this.#poll();
    for (const name of held) await pool.control(name)?.drain('now');
    this.#loop = new PollLoop(clock, bus, () => this.#poll());
  }

  /** Claims no more servers. The owned ones stay so until this worker ends. */
  async close(): Promise<void> {
    await this.#loop?.close();
  }

  /**
   * Hands a call of a server that another worker owns to that worker, and returns true. Also returns
   * true, and does nothing, while the server has no owner: the sweep finds the call again.
   */
  async handToOwner({ id, server, attempt }: ToolCall): Promise<boolean> {
    const { held, handed, workerId, bus, clock } = this.#options;
    if (!held.has(server)) return false;
    const owner = this.#owners.get(server);
    if (owner === undefined || owner === workerId()) return true;
    const key = `${id} ${attempt} ${owner}`;
    const now = clock.now();
    // Every sweep finds a call that waits on its owner.
    if (Math.abs(now - (this.#handedAt.get(key) ?? -Infinity)) < HAND_AGAIN_MS) return true;
    if (this.#handedAt.size >= MAX_HANDED) this.#handedAt.clear();
    await handed.handTo(owner, { type: 'call-tool', callId: id });
    this.#handedAt.set(key, now);
    bus.publish({ type: 'servers' });
    return true;
  }

  async #poll(): Promise<void> {
    try {
      const stored = await this.#options.owners.owners();
      for (const name of this.#names) await this.#settleOwner(name, stored.get(name));
      await this.#readElsewhere();
      this.#failures.succeeded();
    } catch (error) {
      this.#failures.failed(error);
    }
  }

  /** Claims a server without an owner, and connects or ends it when its owner has changed. */
  async #settleOwner(name: string, earlier: string | undefined): Promise<void> {
    const { owners, workerId, held, bus } = this.#options;
    const owner = earlier ?? (await owners.claim(name, workerId()));
    this.#owners.set(name, owner);
    const isOurs = owner === workerId();
    if (isOurs && held.has(name)) await this.#take(name);
    if (!isOurs && !held.has(name)) await this.#giveUp(name, owner);
    if (earlier === undefined && owner !== undefined) bus.publish({ type: 'servers' });
  }

  /** Connects a server that this worker owns, with its stored settings. */
  async #take(name: string): Promise<void> {
    const { pool, held, fleet, logger } = this.#options;
    const settings = (await fleet.settings()).find(({ server }) => server === name);
    held.delete(name);
    if (settings?.roots !== undefined) await pool.control(name)?.setRoots(settings.roots);
    if (settings?.isDrained === true) {
      await pool.control(name)?.drain('now');
      return;
    }
    this.#connecting.add(name);
    logger.info('this worker is connected to a singleton server for all workers', { server: name });
    pool.startServer(name);
  }

  /** Ends the connection to a server that another worker claimed after this one lost its lease. */
  async #giveUp(name: string, owner: string | undefined): Promise<void> {
    const { pool, held, logger } = this.#options;
    held.add(name);
    this.#connecting.delete(name);
    logger.warn('another worker is now connected to a singleton server', { server: name, owner });
    await pool.control(name)?.drain('now');
  }

  /** Reads the states that the owners stored. */
  async #readElsewhere(): Promise<void> {
    const { held, stored } = this.#options;
    if (held.size === 0) return;
    for (const server of (await stored.read()).servers) {
      const { status, best } = server;
      const before = this.#elsewhere.get(status.name);
      const isBetweenOwners = best === undefined || status.state === 'connecting';
      // The calls of the offered tools wait for the next owner.
      if (!held.has(status.name) || (isBetweenOwners && before?.isOffering === true)) continue;
      const tools: readonly ListedTool[] = await stored.toolsOf(server);
      const now = { status, isOffering: best?.isOffering ?? false, tools };
      this.#elsewhere.set(status.name, now);
      if (!isDeepStrictEqual(before?.status, status)) this.#changed();
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
