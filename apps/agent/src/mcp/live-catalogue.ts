import { LocalError, type Tool } from '@signalbox/mcp-core';
import type { ServerConfig } from '../config/config.ts';
import type { Clock } from '../ports/clock.ts';
import { EMPTY_CATALOGUE, readCatalogue, type Catalogue } from './catalogue.ts';
import { coalesce } from './coalesce.ts';
import { pinCatalogue, type PinSurroundings } from './pinned-catalogue.ts';
import type { SchemaChecks } from './schema-checks.ts';
import { withResourceTool } from './resource-tool.ts';
import type { ServerConnection } from './server-connection.ts';

export interface LiveCatalogueOptions extends PinSurroundings {
  readonly schemas: SchemaChecks;
  /** It was read again, or compared again with the pins. */
  readonly onCatalogue: () => void;
}

/** All pages of a tool list together. */
const LIST_LIMIT_MS = 60_000;
/** The least time between two readings of a tool list that keeps changing. */
const REFRESH_PAUSE_MS = 500;
/** How many times longer than the last reading the pause after it is, so that a server cannot keep this process at work. */
const REFRESH_PAUSE_FACTOR = 10;

/** The tools of one connection. Each reading takes the place of the one before as a whole; who has taken an entry out of it keeps that. */
export class LiveCatalogue {
  /** Reads the tools again, at once or together with others who ask meanwhile. Never rejects: the tools known so far stay when that fails. */
  readonly refresh: () => Promise<void>;
  readonly #server: ServerConfig;
  readonly #connection: ServerConnection;
  readonly #options: LiveCatalogueOptions;
  #listed = EMPTY_CATALOGUE;
  #current = EMPTY_CATALOGUE;
  #comparing: Promise<unknown> = Promise.resolve();
  #readingMs = 0;

  constructor(server: ServerConfig, connection: ServerConnection, options: LiveCatalogueOptions) {
    this.#server = server;
    this.#connection = connection;
    this.#options = options;
    this.refresh = coalesce(
      () => this.#readAgain(),
      () => this.#pause(),
    );
  }

  get current(): Catalogue {
    return this.#current;
  }

  /** The first reading; `problems` are told with its warnings. */
  async read(problems: readonly string[] = []): Promise<void> {
    const listed = await readCatalogue(
      this.#server,
      await listTools(this.#connection, this.#options.clock),
      this.#options.schemas,
    );
    this.#listed = { ...listed, warnings: [...problems, ...listed.warnings] };
    await this.#compare();
  }

  /** To be called when what is pinned has changed. */
  async compareWithPins(): Promise<void> {
    await this.#compare();
    this.#options.onCatalogue();
  }

  async #readAgain(): Promise<void> {
    const { clock, onCatalogue } = this.#options;
    const startedAt = clock.now();
    await this.read().catch((error: unknown) => {
      // A server that cannot list its tools now may still run them.
      this.#current = {
        ...this.#current,
        warnings: [
          `the changed tool list could not be read: ${error instanceof Error ? error.message : String(error)}`,
        ],
      };
    });
    this.#readingMs = clock.now() - startedAt;
    onCatalogue();
  }

  /** One comparison after the other, so that the last to begin, which knows the latest pins, is the last to be told. */
  #compare(): Promise<void> {
    const compared = this.#compareAfter(this.#comparing);
    this.#comparing = compared.catch(() => undefined);
    return compared;
  }

  async #compareAfter(before: Promise<unknown>): Promise<void> {
    await before;
    const pinned = await pinCatalogue(this.#server, this.#listed, this.#options);
    // It is not the server that defines this tool.
    this.#current =
      this.#connection.client.server.capabilities.resources === undefined
        ? pinned
        : withResourceTool(this.#server, pinned);
  }

  #pause(): Promise<void> {
    return new Promise(
      (resolve) =>
        void this.#options.clock.after(
          Math.max(REFRESH_PAUSE_MS, this.#readingMs * REFRESH_PAUSE_FACTOR),
          resolve,
        ),
    );
  }
}

async function listTools({ client }: ServerConnection, clock: Clock): Promise<readonly Tool[]> {
  if (client.server.capabilities.tools === undefined) return [];
  const limit = new AbortController();
  const stopTimer = clock.after(LIST_LIMIT_MS, () =>
    limit.abort(
      new LocalError(
        'request-timeout',
        `its tools could not be listed within ${LIST_LIMIT_MS / 1000} s`,
      ),
    ),
  );
  try {
    return await client.listTools({ signal: limit.signal, cache: 'refresh' });
  } catch (error) {
    limit.signal.throwIfAborted();
    throw error;
  } finally {
    stopTimer();
  }
}
