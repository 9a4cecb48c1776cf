import type { Transport } from '../../jsonrpc/transport.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { ConnectedServer } from '../versioning/connected-server.ts';
import type { ClientOptions } from '../client-options.ts';
import type { ClientConnection, ConnectionHooks } from './client-connection.ts';
import { type Established, establishConnection } from './establish-connection.ts';

export interface ReconnectingConnectionHooks extends Omit<ConnectionHooks, 'ended'> {
  /** Called after the connection was replaced. Rejects when the new connection is no longer usable. */
  renewed(): Promise<void>;
}

/** The current connection of a client. Replaces it after its end. */
export class ReconnectingConnection {
  readonly #open: () => Promise<Transport> | Transport;
  readonly #options: ClientOptions;
  readonly #hooks: ReconnectingConnectionHooks;
  readonly #closing = new AbortController();
  /** Replaced connections with active requests. */
  readonly #retired = new Set<ClientConnection>();
  #established: Established | undefined;
  #renewing: { readonly old: ClientConnection; readonly done: Promise<void> } | undefined;

  constructor(
    open: () => Promise<Transport> | Transport,
    options: ClientOptions,
    hooks: ReconnectingConnectionHooks,
  ) {
    this.#open = open;
    this.#options = options;
    this.#hooks = hooks;
  }

  get connection(): ClientConnection {
    return this.#current.connection;
  }

  get server(): ConnectedServer {
    return this.#current.server;
  }

  /** @see Transport.credentials */
  credentials(): string | Promise<string> {
    return this.#current.transport.credentials?.() ?? '';
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Opens the first connection; call once. @throws LocalError `connect-failed` */
  async connect(): Promise<void> {
    this.#established = await this.#establish();
  }

  /** Replaces a connection that has ended. @throws LocalError `connect-failed`, `connection-closed` */
  async reconnect(): Promise<void> {
    this.#closing.signal.throwIfAborted();
    if (this.#renewing !== undefined || this.connection.hasEnded) await this.renew(this.connection);
  }

  /** Replaces this connection unless it was replaced before. Concurrent calls share one attempt. @throws LocalError `connect-failed`, `connection-closed` */
  renew(old: ClientConnection): Promise<void> {
    if (this.#renewing !== undefined)
      return this.#isBeingRestored(old) ? Promise.reject(lostAgain()) : this.#renewing.done;
    if (this.connection !== old) return Promise.resolve();
    const done = this.#renew(old).finally(() => {
      this.#renewing = undefined;
    });
    this.#renewing = { old, done };
    return done;
  }

  async close(): Promise<void> {
    this.#closing.abort(new LocalError('connection-closed', 'This client is closed.'));
    await Promise.all([this.connection, ...this.#retired].map((connection) => connection.close()));
    await this.#renewing?.done.catch(() => undefined);
  }

  get #current(): Established {
    if (this.#established === undefined)
      throw new LocalError('connection-closed', 'This client is not connected.');
    return this.#established;
  }

  /** Whether `renewed` runs for this connection: renewing it from there would wait for itself. */
  #isBeingRestored(connection: ClientConnection): boolean {
    return connection === this.connection && connection !== this.#renewing?.old;
  }

  async #renew(old: ClientConnection): Promise<void> {
    this.#closing.signal.throwIfAborted();
    const established = await this.#establish();
    if (this.isClosed) {
      await established.connection.close();
      this.#closing.signal.throwIfAborted();
    }
    this.#established = established;
    this.#retire(old);
    await this.#hooks.renewed();
  }

  #retire(connection: ClientConnection): void {
    this.#retired.add(connection);
    connection.endSignal.addEventListener('abort', () => this.#retired.delete(connection));
    connection.retire();
    if (connection.hasEnded) this.#retired.delete(connection);
  }

  #establish(): Promise<Established> {
    return establishConnection({
      open: this.#open,
      options: this.#options,
      hooks: { ...this.#hooks, ended: (connection, error) => this.#ended(connection, error) },
      knownEra: this.#established?.server.era,
      signal: this.#closing.signal,
    });
  }

  #ended(connection: ClientConnection, error: Error | undefined): void {
    connection.callBack('the end of the connection', () => this.#options.events?.onClosed?.(error));
  }
}

function lostAgain(): LocalError {
  return new LocalError('connect-failed', 'The new connection was lost before it was restored.');
}
