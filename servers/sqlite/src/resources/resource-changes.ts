import { ResourceNotFoundError } from '@signalbox/mcp-core';
import type {
  ChangeHub,
  LegacySession,
  RequestContext,
  ServerMiddleware,
} from '@signalbox/mcp-core/server';
import type { Databases } from '../databases.ts';
import { DatabaseWatch } from './database-watch.ts';
import { INSIGHTS_URI } from './insights.ts';
import { asProtocolError } from './table-resources.ts';
import { parseSqliteUri } from './table-uri.ts';

export interface ResourceChangesOptions {
  readonly databases: Databases;
  readonly changes: () => ChangeHub;
  readonly warn: (message: string) => void;
}

/**
 * Notifies the subscribers of schemas and tables, and of the list of resources. Watches a database
 * only while it has subscribers, or while a client that has listed the resources is connected.
 */
export class ResourceChanges {
  readonly #options: ResourceChangesOptions;
  readonly #watches: ReadonlyMap<string, DatabaseWatch>;
  /** Number of subscribers by URI and database. */
  readonly #subscribed = new Map<string, { readonly database: string; count: number }>();
  readonly #sessions = new Set<AbortSignal>();
  #listeners = 0;
  #isListed = false;
  #listWatch: Promise<(() => void)[]> | undefined;

  constructor(options: ResourceChangesOptions) {
    const { databases, warn } = options;
    this.#options = options;
    this.#watches = new Map(
      databases.names.map((name) => {
        const onChange = ({ isSchema }: { readonly isSchema: boolean }): void => {
          this.#publish(name, isSchema);
        };
        return [name, new DatabaseWatch({ database: databases.get(name), onChange, warn })];
      }),
    );
  }

  /** Whether any database is watched. */
  get isWatching(): boolean {
    return [...this.#watches.values()].some((watch) => watch.isActive);
  }

  /**
   * Subscribes to a resource. The result ends the subscription.
   * @throws ResourceNotFoundError for a database or table that does not exist
   */
  async subscribe(uri: string, context: RequestContext): Promise<() => void> {
    if (uri === INSIGHTS_URI) return () => undefined;
    const name = parseSqliteUri(uri);
    const database = this.#options.databases.find(name?.database ?? '');
    const watch = this.#watches.get(name?.database ?? '');
    if (name === undefined || database === undefined || watch === undefined)
      throw new ResourceNotFoundError(uri);
    if (name.table !== undefined) {
      const names = await asProtocolError(() =>
        database.readers.run('table-names', {}, context.signal),
      );
      const wanted = name.table.toLowerCase();
      if (!names.some((table) => table.toLowerCase() === wanted))
        throw new ResourceNotFoundError(uri);
    }
    const detach = await watch.attach();
    const entry = this.#subscribed.get(uri) ?? { database: database.name, count: 0 };
    entry.count += 1;
    this.#subscribed.set(uri, entry);
    return () => {
      entry.count -= 1;
      if (entry.count === 0) this.#subscribed.delete(uri);
      detach();
    };
  }

  /** Watches for the list of resources while a legacy session lasts that may have listed them. */
  addSession({ signal }: LegacySession): void {
    if (this.#sessions.has(signal) || signal.aborted) return;
    this.#sessions.add(signal);
    signal.addEventListener('abort', () => {
      this.#sessions.delete(signal);
      void this.#followList();
    });
    void this.#followList();
  }

  /** Middleware that notices lists of resources, and streams that want to know of their changes. */
  readonly middleware: ServerMiddleware = async ({ method, params }, next) => {
    if (method === 'resources/list' && !this.#isListed) {
      this.#isListed = true;
      await this.#followList();
    }
    const { notifications } = params;
    const wantsList =
      method === 'subscriptions/listen' &&
      typeof notifications === 'object' &&
      notifications !== null &&
      'resourcesListChanged' in notifications &&
      notifications.resourcesListChanged === true;
    if (!wantsList) return next();
    this.#listeners += 1;
    try {
      await this.#followList();
      return await next();
    } finally {
      this.#listeners -= 1;
      void this.#followList();
    }
  };

  close(): void {
    for (const watch of this.#watches.values()) watch.close();
  }

  async #followList(): Promise<void> {
    const isWanted = this.#listeners > 0 || (this.#isListed && this.#sessions.size > 0);
    if (isWanted) {
      this.#listWatch ??= Promise.all([...this.#watches.values()].map((watch) => watch.attach()));
      await this.#listWatch;
      return;
    }
    const attached = this.#listWatch;
    this.#listWatch = undefined;
    for (const detach of (await attached) ?? []) detach();
  }

  /** Any change of the data may concern any table, and views show other tables. */
  #publish(database: string, isSchema: boolean): void {
    const changes = this.#options.changes();
    for (const [uri, subscribed] of this.#subscribed) {
      const isOfSchema = parseSqliteUri(uri)?.table === undefined;
      if (subscribed.database === database && (isSchema || !isOfSchema))
        changes.resourceUpdated(uri);
    }
    if (isSchema) changes.resourcesChanged();
  }
}
