import { unlessAborted } from '../jsonrpc/bounded-waits.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { LoggingLevel } from '../protocol/logging-levels.ts';
import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { CompleteParams, Completion, CompletionReference } from '../protocol/completion.ts';
import type { ResourceContents } from '../protocol/content.ts';
import { LocalError, ProtocolError } from '../protocol/errors.ts';
import { changedList } from '../protocol/list-changes.ts';
import type { GetPromptResult, Prompt } from '../protocol/prompts.ts';
import type { Resource, ResourceTemplate } from '../protocol/resources.ts';
import type { CallToolResult, JsonSchema, Tool } from '../protocol/tools.ts';
import { assertCustomNotification } from '../era/specified-methods.ts';
import type { SchemaOutput, StandardSchema } from '../schema/standard-schema.ts';
import { assertRequestable, readCustomResult } from './extensions/custom-methods.ts';
import type { SendingOptions, SentRequest } from './requests/active-request.ts';
import type { Client, CompleteOptions, ReadResourceOptions } from './client.ts';
import type { ConnectedServer } from './versioning/connected-server.ts';
import type { ClientOptions, CustomRequestOptions, RequestOptions } from './client-options.ts';
import { type ListPage, type ListPages, Lists, type PageOptions } from './requests/lists.ts';
import { ReconnectingConnection } from './connection/reconnecting-connection.ts';
import { InputRounds } from './input/multi-round-trip.ts';
import { ListedTools } from './tools/listed-tools.ts';
import { readCompletion } from './completion.ts';
import { readPromptResult } from './prompts/prompts.ts';
import { toReadError } from './resources/resources.ts';
import { cacheHintsOf } from './caching/cache-hints.ts';
import { ResponseCache } from './caching/response-cache.ts';
import { RetryPolicy } from './requests/retry-policy.ts';
import { type ChangeHandlers, filterOf, listenerOf } from './subscriptions/change-handlers.ts';
import { TaskCalls } from './tasks/client-tasks.ts';
import { type Watch, Watches } from './subscriptions/watches.ts';

/** Implements `Client` over one connection at a time. */
export class ConnectedClient implements Client {
  readonly #current: ReconnectingConnection;
  readonly #options: ClientOptions;
  readonly #tools: ListedTools;
  readonly #cache: ResponseCache;
  readonly #watches: Watches;
  readonly #rounds: InputRounds;
  readonly tasks: TaskCalls;
  readonly pages: ListPages;
  readonly #lists: Lists;
  #logLevel: LoggingLevel | undefined;

  constructor(open: () => Promise<Transport> | Transport, options: ClientOptions) {
    this.#options = options;
    this.#tools = new ListedTools(options);
    this.#cache = new ResponseCache(options.cache);
    this.#rounds = new InputRounds(options);
    this.#current = new ReconnectingConnection(open, options, {
      taskCreated: (connection, request, task) => this.tasks.waitForCall(connection, request, task),
      inputRequired: (connection, request, inputRequired) =>
        this.#rounds.complete(connection, request, inputRequired),
      failed: (connection, request, error) => retryPolicy.retry(connection, request, error),
      notified: (notification) => {
        this.#cache.notified(notification);
        if (changedList(notification.method) === 'tools') this.#tools.markStale();
      },
      renewed: () => this.#restore(),
    });
    this.tasks = new TaskCalls(this.#current, options, this.#rounds);
    const retryPolicy = new RetryPolicy(this.#current, {
      relist: () => this.listTools({ cache: 'refresh' }),
      headersOf: (params) => this.#headersOf(params),
      asTask: (request) => this.#asTask(request),
      elicitUrls: (connection, request, data) => this.#rounds.elicitUrls(connection, request, data),
      urlsCompleted: (connection, request, urls) =>
        this.#rounds.urlsCompleted(connection, request, urls),
    });
    this.#watches = new Watches(this.#current, options.limits?.requestTimeoutMs);
    const lists = new Lists({
      capabilities: () => this.server.capabilities,
      request: (method, params, request) => this.#cached(method, params, request),
    });
    this.#lists = lists;
    this.pages = {
      tools: (page) => this.#toolPages(page),
      prompts: (page) => lists.pages('prompts', page),
      resources: (page) => lists.pages('resources', page),
      resourceTemplates: (page) => lists.pages('resourceTemplates', page),
      tasks: (page) => lists.pages('tasks', page),
    };
  }

  /** Connects; call once, first. @throws LocalError `connect-failed` */
  connect(): Promise<void> {
    return this.#current.connect();
  }

  get server(): ConnectedServer {
    return this.#current.server;
  }

  async listTools(options?: RequestOptions): Promise<readonly Tool[]> {
    const tools = await this.#lists.all('tools', options);
    return this.#tools.update(tools, this.#current.connection.carriesHeaders);
  }

  callTool(name: string, args: JsonObject, options?: RequestOptions): Promise<CallToolResult> {
    const missing = this.#missing('tools');
    if (missing !== undefined) return Promise.reject(missing);
    const params = { name, arguments: args, ...this.#taskParam(name, options) };
    const { connection } = this.#current;
    // The codec checks that `content` is a list of objects.
    return (connection.middleware === undefined
      ? this.#callTool(params, options ?? {})
      : connection.around('tools/call', { params, options: options ?? {} }, (changed, others) =>
          this.#callTool(changed, others),
        )) as Promise<unknown> as Promise<CallToolResult>;
  }

  listPrompts(options?: RequestOptions): Promise<readonly Prompt[]> {
    return this.#lists.all('prompts', options);
  }

  async getPrompt(
    name: string,
    args: { readonly [name: string]: string } = {},
    options?: RequestOptions,
  ): Promise<GetPromptResult> {
    this.#require('prompts');
    return readPromptResult(
      await this.#current.connection.request('prompts/get', { name, arguments: args }, options),
    );
  }

  async complete(
    ref: CompletionReference,
    argument: CompleteParams['argument'],
    { chosen, ...options }: CompleteOptions = {},
  ): Promise<Completion> {
    if (this.#current.connection.codec.hasCompletionsCapability) this.#require('completions');
    const params = {
      ref,
      argument,
      ...(chosen === undefined ? {} : { context: { arguments: chosen } }),
    };
    return readCompletion(
      await this.#current.connection.request('completion/complete', params, options),
    );
  }

  listResources(options?: RequestOptions): Promise<readonly Resource[]> {
    return this.#lists.all('resources', options);
  }

  listResourceTemplates(options?: RequestOptions): Promise<readonly ResourceTemplate[]> {
    return this.#lists.all('resourceTemplates', options);
  }

  async readResource(
    uri: string,
    { onCacheHints, ...options }: ReadResourceOptions = {},
  ): Promise<readonly ResourceContents[]> {
    this.#require('resources');
    try {
      const result = await this.#cached('resources/read', { uri }, options);
      const hints = cacheHintsOf(result);
      if (hints !== undefined && onCacheHints !== undefined)
        this.#current.connection.callBack('cache hints', () => onCacheHints(hints));
      // The codec has checked that it is a list of objects.
      return result.contents as readonly ResourceContents[];
    } catch (error) {
      throw toReadError(error, uri);
    }
  }

  async request<const Schema extends JsonSchema | StandardSchema = { readonly type: 'object' }>(
    method: string,
    params: JsonObject = {},
    { result: schema, ...options }: CustomRequestOptions<Schema> = {},
  ): Promise<SchemaOutput<Schema>> {
    assertRequestable(method);
    const result = await this.#current.connection.request(method, params, options);
    // Without a schema the type is that of any object.
    return (
      schema === undefined ? result : await readCustomResult(method, result, schema)
    ) as SchemaOutput<Schema>;
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    assertCustomNotification(method);
    const { connection } = this.#current;
    if (this.server.era === 'modern' && connection.hasStreamPerRequest)
      throw new LocalError(
        'method-not-in-era',
        `${method} was not sent: over HTTP, protocol version ${this.server.protocolVersion} has no notifications of clients.`,
      );
    await connection.notify(method, params);
  }

  watch(handlers: ChangeHandlers): Promise<Watch> {
    const listener = listenerOf(handlers, (handler) =>
      this.#current.connection.callBack('a change', handler),
    );
    return this.#watches.open(filterOf(handlers), {
      ...listener,
      missed: () => {
        this.#cache.evict(() => true);
        listener.missed();
      },
    });
  }

  async setLogLevel(level: LoggingLevel, options?: RequestOptions): Promise<void> {
    const { connection } = this.#current;
    if (this.server.era === 'legacy') {
      this.#require('logging');
      await connection.request('logging/setLevel', { level }, options);
    } else {
      connection.setLogLevel(level);
    }
    this.#logLevel = level;
  }

  async ping(options?: RequestOptions): Promise<void> {
    await this.#current.connection.request(
      this.server.era === 'legacy' ? 'ping' : 'server/discover',
      {},
      options,
    );
  }

  async rootsChanged(): Promise<void> {
    if (this.server.era === 'legacy' && this.#options.handlers?.listRoots !== undefined) {
      await this.#current.connection.notify('notifications/roots/list_changed');
    }
  }

  reconnect(): Promise<void> {
    return this.#current.reconnect();
  }

  async close(): Promise<void> {
    const closing = this.#current.close();
    this.#watches.endAll();
    await closing;
  }

  async *#toolPages(options?: PageOptions): AsyncGenerator<ListPage<Tool>, undefined> {
    for await (const page of this.#lists.pages('tools', options)) {
      const { carriesHeaders } = this.#current.connection;
      yield { ...page, items: this.#tools.add(page.items, carriesHeaders) };
    }
  }

  async #cached(
    method: string,
    params: JsonObject,
    options: RequestOptions = {},
  ): Promise<JsonObject> {
    const { cache = 'use' } = options;
    const ticket = this.#cache.ticket(method, params);
    const found =
      cache === 'use' ? this.#cache.find(ticket, () => this.#current.credentials()) : undefined;
    const known = found instanceof Promise ? await unlessAborted(found, options.signal) : found;
    if (known !== undefined) return known;
    // A result after input rounds depends on the input responses, so it is not stored.
    let rounds = 0;
    let credentials = '';
    const result = await this.#current.connection
      .request(method, params, {
        ...options,
        onInputRequired: () => (rounds += 1),
        onCredentials: (sent) => (credentials = sent),
      })
      .catch((error: unknown) => {
        // The pages that led to a refused cursor are stale.
        if (params.cursor !== undefined && error instanceof ProtocolError)
          this.#cache.evict((entry) => entry.method === method);
        throw error;
      });
    if (cache !== 'none' && rounds === 0) this.#cache.store(ticket, credentials, result);
    return result;
  }

  /** Discards what the last connection learned, and restores the log level and subscriptions. */
  async #restore(): Promise<void> {
    this.#tools.forget();
    this.#cache.evict(() => true);
    if (this.#logLevel !== undefined)
      await this.setLogLevel(this.#logLevel).catch((error: unknown) =>
        this.#report('The log level could not be restored', error),
      );
    await this.#watches.restore();
  }

  /** Calls the tool that the params name, which middleware may have changed. */
  #callTool(params: JsonObject, options: SendingOptions): Promise<JsonObject> {
    const name = params.name as string;
    const { connection } = this.#current;
    const headers = this.#headersOf(params);
    const sending = headers === undefined ? options : { ...options, headers };
    const round = options.inputRounds?.resume;
    const result =
      round === undefined
        ? connection.requestWithoutMiddleware('tools/call', params, sending)
        : this.#rounds.resume(
            connection,
            {
              id: 0,
              method: 'tools/call',
              params,
              options: sending,
              sentAt: performance.now(),
            },
            round,
          );
    return this.#tools.hasOutputSchema(name)
      ? result.then((found) => this.#tools.validateOutput(name, found as unknown as CallToolResult))
      : result;
  }

  async #asTask({ params, options }: SentRequest): Promise<JsonObject | undefined> {
    if (
      params.task !== undefined ||
      !this.#current.connection.codec.offersTasks(this.server.capabilities)
    )
      return undefined;
    await this.listTools({ cache: 'refresh' });
    // `callTool` set it.
    const task = this.#taskParam(params.name as string, options);
    return task && { ...params, ...task };
  }

  /** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation */
  #taskParam(
    name: string,
    { task: { request } = {} }: RequestOptions = {},
  ): JsonObject | undefined {
    const { codec } = this.#current.connection;
    if (codec.tasks !== 'core' || !codec.offersTasks(this.server.capabilities)) return undefined;
    const support = this.#tools.taskSupport(name);
    const isWanted = support === 'required' || (request !== undefined && support !== 'never');
    return isWanted
      ? { task: request?.ttlMs === undefined ? {} : { ttl: request.ttlMs } }
      : undefined;
  }

  #headersOf({
    name,
    arguments: args = {},
  }: JsonObject): { readonly [name: string]: string } | undefined {
    // `callTool` set both.
    return this.#tools.headersOf(name as string, args as JsonObject);
  }

  #require(capability: keyof ServerCapabilities): void {
    const missing = this.#missing(capability);
    if (missing !== undefined) throw missing;
  }

  #missing(capability: keyof ServerCapabilities): LocalError | undefined {
    return this.server.capabilities[capability] === undefined
      ? new LocalError('capability-missing', `The server does not offer ${capability}.`)
      : undefined;
  }

  #report(message: string, cause: unknown): void {
    this.#options.events?.onProblem?.(new Error(message, { cause }));
  }
}
