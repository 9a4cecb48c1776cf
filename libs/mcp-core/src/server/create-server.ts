import { assertCustomNotification } from '../era/specified-methods.ts';
import type { JsonObject, JsonRpcRequest } from '../jsonrpc/messages.ts';
import type { ResultOrError } from '../jsonrpc/responses.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { LoggingLevel } from '../protocol/logging-levels.ts';
import type { Tool } from '../protocol/tools.ts';
import { Catalog } from './lists/catalog.ts';
import { Changes } from './subscriptions/change-hub.ts';
import { Connection, type ConnectionContext } from './connection/connection.ts';
import { serveStandaloneRequest } from './requests/standalone-request.ts';
import { createCustomMethods, createNotificationHandlers } from './extensions/custom-methods.ts';
import { ServerMiddlewareRunner } from './extensions/middleware.ts';
import { capabilitiesOf } from './capabilities.ts';
import { createMethods } from './methods.ts';
import { guarded, reportToStderr } from '../jsonrpc/report-to-stderr.ts';
import { DEFAULT_PROGRESS_INTERVAL_MS } from './requests/progress.ts';
import { RequestDispatcher } from './requests/request-dispatcher.ts';
import { RequestStates } from './input/request-state.ts';
import type { PromptDefinition } from './prompts/prompt.ts';
import type { RequestLink } from './requests/request-link.ts';
import type { ResourceDefinition, ResourceTemplateDefinition } from './resources/resource.ts';
import type { Server, ServerConnection, ServerOptions } from './server.ts';
import { ServerTasks } from './tasks/server-tasks.ts';
import type { RegisteredTool } from './tools/tool-table.ts';
import type { ToolDefinition } from './tools/tool.ts';

/**
 * Creates a server of both eras and all revisions.
 * @throws Error when two tools or two prompts share a name, or two resources or two templates a URI, a tool's name is not 1 to 128 of `A-Z a-z 0-9 _ - .`, an input schema is not of type `object`, or
 * a Standard Schema has no JSON Schema. Also when a custom method or notification has a name of the specification.
 */
export function createServer(options: ServerOptions): Server {
  const changes = new Changes();
  const catalog = new Catalog(options, changes);
  const { extensions = {}, settings = {} } = options;
  const onError = guarded(options.events?.onError ?? reportToStderr);
  const tasks = needsTasks(options)
    ? new ServerTasks(settings.tasks ?? {}, {
        info: options.info,
        outputSchemaOf: (name) => catalog.tools?.get(name)?.outputSchema,
        onError,
      })
    : undefined;
  const capabilities = capabilitiesOf(options, {
    resources: catalog.resources,
    hasCompletions: catalog.hasCompletions,
    hasTasks: tasks !== undefined,
  });
  const methods = createMethods(options, { catalog, capabilities, changes, tasks, onError });
  const findTool = (name: string): RegisteredTool | undefined => catalog.tools?.get(name);
  const { middleware = [] } = extensions;
  const requests = new RequestDispatcher({
    info: options.info,
    methods,
    customMethods: createCustomMethods(extensions.methods),
    notificationHandlers: createNotificationHandlers(extensions.notifications),
    middleware:
      middleware.length === 0
        ? undefined
        : new ServerMiddlewareRunner(middleware, { findTool, onError }),
    findTool,
    states: new RequestStates(settings.requestState),
    tasks,
    progressIntervalMs: settings.limits?.progressIntervalMs ?? DEFAULT_PROGRESS_INTERVAL_MS,
    onError,
  });
  return new ConnectingServer(
    { options, requests, capabilities, changes, resources: catalog.resources, onError },
    { catalog, tasks },
  );
}

const NO_SCOPES: readonly string[] = [];

class ConnectingServer implements Server {
  readonly changes: Changes;
  readonly #context: ConnectionContext;
  readonly #catalog: Catalog;
  readonly #tasks: ServerTasks | undefined;
  readonly #connections = new Set<Connection>();

  constructor(
    context: ConnectionContext,
    { catalog, tasks }: { readonly catalog: Catalog; readonly tasks: ServerTasks | undefined },
  ) {
    this.#context = context;
    this.#catalog = catalog;
    this.#tasks = tasks;
    this.changes = context.changes;
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    for (const connection of this.#connections) connection.log(level, data, logger);
  }

  notify(method: string, params: JsonObject = {}): void {
    assertCustomNotification(method);
    for (const connection of this.#connections) connection.notify(method, params);
  }

  completeElicitation(elicitationId: string): boolean {
    const sessions = [...this.#connections].map(({ session }) => session);
    return sessions.some((session) => session?.completeElicitation(elicitationId) === true);
  }

  async connect(transport: Transport): Promise<ServerConnection> {
    const connection = new Connection(this.#context, transport, this.#connections);
    this.#connections.add(connection);
    await connection.start();
    return connection;
  }

  async stopTasks(): Promise<void> {
    await this.#tasks?.stop();
  }

  handle(request: JsonRpcRequest, link: RequestLink): ResultOrError | Promise<ResultOrError> {
    return serveStandaloneRequest(this.#context, request, link);
  }

  requiredScopes({ method, params }: JsonRpcRequest): readonly string[] {
    if (method !== 'tools/call' || typeof params?.name !== 'string') return NO_SCOPES;
    return this.#catalog.tools?.get(params.name)?.scopes ?? NO_SCOPES;
  }

  tool(name: string): Tool | undefined {
    return this.#catalog.tools?.find(name);
  }

  setTools(tools: readonly ToolDefinition[]): void {
    this.#checkLists();
    this.#catalog.setTools(tools);
  }

  setPrompts(prompts: readonly PromptDefinition[]): void {
    this.#checkLists();
    this.#catalog.setPrompts(prompts);
  }

  setResources(resources: readonly ResourceDefinition[]): void {
    this.#checkLists();
    this.#catalog.setResources(resources);
  }

  setTemplates(templates: readonly ResourceTemplateDefinition[]): void {
    this.#checkLists();
    this.#catalog.setTemplates(templates);
  }

  #checkLists(): void {
    if (this.#context.options.settings?.lists?.areFixed === true)
      throw new Error(
        'The lists of this server are fixed: create it without settings.lists.areFixed to change them',
      );
  }
}

function needsTasks({ settings, tools = [] }: ServerOptions): boolean {
  return settings?.tasks !== undefined || tools.some(({ task = 'never' }) => task !== 'never');
}
