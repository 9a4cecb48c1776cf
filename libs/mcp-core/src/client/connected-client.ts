import type { JsonObject } from '../jsonrpc/messages.ts';
import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { ResourceContents } from '../protocol/content.ts';
import { ErrorCode, LocalError, ProtocolError, ResourceNotFoundError } from '../protocol/errors.ts';
import type { Resource, ResourceTemplate, SubscriptionFilter } from '../protocol/resources.ts';
import type { CallToolResult, Tool } from '../protocol/tools.ts';
import type { Client, ClientOptions, ConnectedServer, RequestOptions, Watch } from './client.ts';
import { collectPages } from './collect-pages.ts';
import { type Connection, DEFAULT_REQUEST_TIMEOUT_MS } from './connection.ts';
import { LegacySubscriptions } from './legacy-subscriptions.ts';
import { openListenStream } from './listen-stream.ts';

/** The client of an established connection. */
export class ConnectedClient implements Client {
  readonly server: ConnectedServer;
  readonly #connection: Connection;
  readonly #options: ClientOptions;
  readonly #legacySubscriptions: LegacySubscriptions;

  constructor(connection: Connection, server: ConnectedServer, options: ClientOptions) {
    this.server = server;
    this.#connection = connection;
    this.#options = options;
    this.#legacySubscriptions = new LegacySubscriptions(connection, server.capabilities);
  }

  async listTools(options?: RequestOptions): Promise<readonly Tool[]> {
    return this.#list<Tool>({ method: 'tools/list', member: 'tools', capability: 'tools' }, options);
  }

  async callTool(name: string, args: JsonObject, options?: RequestOptions): Promise<CallToolResult> {
    this.#require('tools');
    const result = await this.#connection.request('tools/call', { name, arguments: args }, options);
    // The codec has checked that `content` is a list of objects.
    return result as unknown as CallToolResult;
  }

  async listResources(options?: RequestOptions): Promise<readonly Resource[]> {
    return this.#list<Resource>({ method: 'resources/list', member: 'resources', capability: 'resources' }, options);
  }

  async listResourceTemplates(options?: RequestOptions): Promise<readonly ResourceTemplate[]> {
    return this.#list<ResourceTemplate>({ method: 'resources/templates/list', member: 'resourceTemplates', capability: 'resources' }, options);
  }

  async readResource(uri: string, options?: RequestOptions): Promise<readonly ResourceContents[]> {
    this.#require('resources');
    try {
      const { contents } = await this.#connection.request('resources/read', { uri }, options);
      // The codec has checked that it is a list of objects.
      return contents as readonly ResourceContents[];
    } catch (error) {
      throw isNotFound(error, uri) ? new ResourceNotFoundError(uri) : error;
    }
  }

  watch(filter: SubscriptionFilter, onUpdated: (uri: string) => void): Promise<Watch> {
    return this.server.era === 'legacy'
      ? this.#legacySubscriptions.watch(filter, onUpdated)
      : openListenStream(this.#connection, { filter, onUpdated, timeoutMs: this.#options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS });
  }

  async ping(options?: RequestOptions): Promise<void> {
    await this.#connection.request(this.server.era === 'legacy' ? 'ping' : 'server/discover', {}, options);
  }

  async rootsChanged(): Promise<void> {
    if (this.server.era === 'legacy' && this.#options.handlers?.listRoots !== undefined) {
      await this.#connection.notify('notifications/roots/list_changed');
    }
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** A server without the capability has an empty list, and is not asked. */
  async #list<T>({ method, member, capability }: ListMethod, options: RequestOptions | undefined): Promise<readonly T[]> {
    if (this.server.capabilities[capability] === undefined) {
      return [];
    }
    const pages = await collectPages((params) => this.#connection.request(method, params, options));
    // The codec has checked that each is a list of objects.
    return pages.flatMap((page) => page[member] as readonly T[]);
  }

  #require(capability: keyof ServerCapabilities): void {
    if (this.server.capabilities[capability] === undefined) {
      throw new LocalError('capability-missing', `The server does not offer ${capability}.`);
    }
  }
}

interface ListMethod {
  readonly method: string;
  readonly member: string;
  readonly capability: keyof ServerCapabilities;
}

/** Servers of every revision use either code; -32602 alone may also mean a bad request. */
function isNotFound(error: unknown, uri: string): boolean {
  if (!(error instanceof ProtocolError)) {
    return false;
  }
  const namesResource = isJsonObject(error.data) && error.data.uri === uri;
  return error.code === ErrorCode.resourceNotFound || (error.code === ErrorCode.invalidParams && namesResource);
}
