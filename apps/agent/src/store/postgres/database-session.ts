import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

export interface DatabaseSessionOptions {
  /** Creates a connection without opening it. */
  readonly create: () => pg.Client;
  /** Prepares a new connection that replaces one that ended. A failure is repeated with another one. */
  readonly restore: (client: pg.Client) => Promise<void>;
  /** Executes a statement, so that a connection that leads nowhere is noticed. */
  readonly check: (client: pg.Client) => Promise<void>;
  readonly onNotification: (payload: string) => void;
}

/**
 * Milliseconds before the next attempt to connect again, before jitter. With the longest pause a
 * process is without its lock for less than `RELOCK_MS`.
 */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

/** Milliseconds between two checks of the connection, and for which one may take. */
const CHECK_EVERY_MS = 15_000;
const CHECK_MS = 5000;

/** Milliseconds for which the close of a connection may take. */
const CLOSE_MS = 1000;

/** A connection that is opened again whenever it ends. */
export class DatabaseSession {
  readonly #options: DatabaseSessionOptions;
  readonly #checks: NodeJS.Timeout;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `client` is open. */
  constructor(client: pg.Client, options: DatabaseSessionOptions) {
    this.#options = options;
    this.#use(client);
    this.#checks = setInterval(() => void this.#check(), CHECK_EVERY_MS).unref();
  }

  /** Executes a statement. Does nothing while there is no connection, or if it ends. */
  async tryQuery(text: string, values: readonly unknown[]): Promise<void> {
    await this.#client?.query(text, [...values]).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#checks);
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) await within(CLOSE_MS, client.end());
  }

  #use(client: pg.Client): void {
    this.#client = client;
    client.on('notification', ({ payload }) => this.#options.onNotification(payload ?? ''));
    client.on('error', () => undefined);
    client.on('end', () => this.#replace(client));
  }

  #replace(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#connectAfter(FIRST_PAUSE_MS);
  }

  async #check(): Promise<void> {
    const client = this.#client;
    if (client === undefined || (await within(CHECK_MS, this.#options.check(client)))) return;
    this.#replace(client);
    await client.end().catch(() => undefined);
  }

  #connectAfter(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#connect(ms), ms * (0.5 + Math.random()));
    this.#timer.unref();
  }

  async #connect(pauseMs: number): Promise<void> {
    const client = this.#options.create();
    client.on('error', () => undefined);
    try {
      await client.connect();
      await this.#options.restore(client);
      if (this.#isClosed) await client.end();
      else this.#use(client);
    } catch {
      await client.end().catch(() => undefined);
      this.#connectAfter(Math.min(2 * pauseMs, MAX_PAUSE_MS));
    }
  }
}

/** Whether a promise resolves in time. */
async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  const isDone = promise.then(
    () => true,
    () => false,
  );
  const isLate = sleep(ms, false, { ref: false, signal: late.signal }).catch(() => false);
  const result = await Promise.race([isDone, isLate]);
  late.abort();
  return result;
}
