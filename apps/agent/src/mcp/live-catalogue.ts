import { LocalError, type Tool } from '@signalbox/mcp-core';
import type { ServerConfig } from '../config/config.ts';
import type { Clock } from '../ports/clock.ts';
import { messageOf } from '../text/error-text.ts';
import { EMPTY_CATALOGUE, readCatalogue, type Catalogue } from './catalogue.ts';
import { coalesce } from './coalesce.ts';
import { pinCatalogue, type PinDependencies } from './pinned-catalogue.ts';
import type { SchemaChecks } from '../schema/schema-checks.ts';
import { withResourceTools } from './resource-tool.ts';
import type { ServerConnection } from './server-connection.ts';

export interface LiveCatalogueOptions extends PinDependencies {
  readonly schemas: SchemaChecks;
  /** Called when the tools were read, or compared with the pins, again. */
  readonly onCatalogue: () => void;
}

/** Milliseconds for all pages of a tool list. */
const LIST_LIMIT_MS = 60_000;
/** Minimum milliseconds between reads of a changing tool list. */
const REFRESH_PAUSE_MS = 500;
/**
 * Minimum pause after a read as a multiple of the read's duration, so that a server cannot keep
 * this process busy.
 */
const REFRESH_PAUSE_FACTOR = 10;

/**
 * The tools of one connection. Each read replaces the whole catalogue; entries in use stay valid.
 */
export class LiveCatalogue {
  /**
   * Reads the tools again; concurrent requests share one read. Never rejects: after a failure the
   * known tools stay.
   */
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

  /** Reads the tools for the first time. `problems`: further warnings. */
  async read(problems: readonly string[] = []): Promise<void> {
    const listed = await readCatalogue(
      this.#server,
      await listTools(this.#connection, this.#options.clock),
      this.#options.schemas,
    );
    this.#listed = { ...listed, warnings: [...problems, ...listed.warnings] };
    await this.#compare();
  }

  /** Compares the tools with the pins again. To be called when pins have changed. */
  async compareWithPins(): Promise<void> {
    await this.#compare();
    this.#options.onCatalogue();
  }

  async #readAgain(): Promise<void> {
    const { clock, onCatalogue } = this.#options;
    const startedAt = clock.now();
    await this.read().catch((error: unknown) => {
      // A server that cannot list its tools may still execute them.
      this.#current = {
        ...this.#current,
        warnings: [`the changed tool list could not be read: ${messageOf(error)}`],
      };
    });
    this.#readingMs = clock.now() - startedAt;
    onCatalogue();
  }

  /** Runs one comparison at a time, so that the result with the latest pins is reported last. */
  #compare(): Promise<void> {
    const compared = this.#compareAfter(this.#comparing);
    this.#comparing = compared.catch(() => undefined);
    return compared;
  }

  async #compareAfter(before: Promise<unknown>): Promise<void> {
    await before;
    const pinned = await pinCatalogue(this.#server, this.#listed, this.#options);
    // These tools are defined by the service, not by the server.
    this.#current = withResourceTools(
      this.#server,
      this.#connection.client.server.capabilities.resources,
      pinned,
    );
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
