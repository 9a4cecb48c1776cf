import { randomUUID } from 'node:crypto';
import {
  ErrorCode,
  ProtocolError,
  ResourceNotFoundError,
  type Era,
  type JsonObject,
  type Tool,
  type Transport,
} from '@signalbox/mcp-core';
import {
  connectClient,
  type Client,
  type ClientMiddleware,
  type InputContext,
  type InputHandlers,
  type LogEntry,
  type NotificationContext,
  type RequestOptions,
} from '@signalbox/mcp-core/client';
import {
  Suspended,
  createServer,
  type InteractiveContext,
  type LegacySession,
  type RequestContext,
  type ResourceProvider,
  type Server,
  type ServerMiddleware,
  type ToolDefinition,
} from '@signalbox/mcp-core/server';
import { ForwardedRequest, metaOf, throwToClient, type Ask } from './forwarded-request.ts';

export interface ProxyOptions {
  /** Opens the connection to the server behind the proxy. */
  readonly open: () => Promise<Transport> | Transport;
  /** Era of the server behind the proxy. Default: found out. */
  readonly era?: Era;
}

const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

type Forward = (client: Client, params: JsonObject, options: RequestOptions) => Promise<object>;

const asItIs =
  (method: string): Forward =>
  (client, params, options) =>
    client.request(method, params, options);

/** Requests that may need input of the client, or become tasks. */
const interactive: { readonly [method: string]: Forward } = {
  'tools/call': (client, { name, arguments: args = {} }, options) =>
    client.callTool(String(name), args as JsonObject, options),
  'prompts/get': asItIs('prompts/get'),
  'resources/read': asItIs('resources/read'),
};

const plain: { readonly [method: string]: Forward } = {
  'tools/list': async (client, { cursor }, options) => {
    const from = typeof cursor === 'string' ? { cursor } : {};
    const pages = client.pages.tools({ ...options, ...from, cache: 'none' });
    const { items, ...rest } = (await pages.next()).value ?? { items: [] };
    return {
      tools: items.map((tool) => ({ ...tool, task: taskSupportOf(tool, client) })),
      ...rest,
    };
  },
  'prompts/list': asItIs('prompts/list'),
  'resources/list': asItIs('resources/list'),
  'resources/templates/list': asItIs('resources/templates/list'),
  'completion/complete': asItIs('completion/complete'),
};

/** A modern server decides itself which calls become tasks: then any call may. */
function taskSupportOf({ task }: Tool, { server }: Client): Tool['task'] {
  return task ?? (server.capabilities.extensions?.[TASKS_EXTENSION] && 'optional');
}

export interface Proxy {
  /** Serves the client of either era. One client: the server behind the proxy sees one connection. */
  readonly server: Server;
  /** Closes the connection to the server behind the proxy. */
  close(): Promise<void>;
}

/** Connects to a server of one era and returns a server that forwards everything, for a client of the other. */
export async function connectProxy(options: ProxyOptions): Promise<Proxy> {
  const running = new Map<string, ForwardedRequest>();
  /** Contexts of the requests that run, the newest last. */
  const contexts = new Set<RequestContext>();
  let session: LegacySession | undefined;

  /** Returns the request for which the server needs input: named by a modern server, else the newest. */
  const originOf = ({ request }: Partial<InputContext>): ForwardedRequest | undefined => {
    const requests = [...running.values()];
    return requests.find(({ meta }) => meta === request?.meta) ?? requests.at(-1);
  };
  const ask = <T>(input: InputContext, question: Ask<T>): Promise<T> => {
    const origin = originOf(input);
    if (origin !== undefined) return origin.ask(question);
    throw new ProtocolError(ErrorCode.invalidRequest, 'No request of the client needs input.');
  };
  const handlers: InputHandlers = {
    elicit: (params, input) => ask(input, (context, key) => context.elicit(key, params)),
    sample: (params, input) => ask(input, (context, key) => context.sample(key, params)),
    listRoots: async (input) =>
      originOf(input) === undefined
        ? ((await session?.listRoots()) ?? [])
        : ask(input, (context) => context.listRoots()),
  };

  /** Returns the request to which a message of the server belongs: over HTTP named by its stream, else the newest. */
  const contextOf = ({
    request,
  }: Pick<NotificationContext, 'request'>): RequestContext | undefined => {
    const named = [...running.values()].find(({ meta }) => meta === request?.meta);
    return named?.context ?? [...contexts].at(-1);
  };
  const onLog = (entry: LogEntry): void => {
    (contextOf(entry) ?? server).log(entry.level, entry.data, entry.logger);
  };
  const onNotification = (params: JsonObject, context: NotificationContext): void => {
    void (contextOf(context) ?? server).notify(context.method, params);
  };
  /** Forwards the requests of a legacy server that the specification does not define. */
  const forwardToClient: ClientMiddleware = ({ direction, method, params }, next) =>
    next().catch((error: unknown) => {
      const context = [...contexts].at(-1);
      if (direction === 'outgoing' || context === undefined || !isUnknownMethod(error)) throw error;
      const { _meta, ...rest } = params;
      return context.request(method, rest).catch(throwToClient);
    });
  const client = await connectClient(options.open, {
    info: { name: 'era-proxy', version: '1.0.0' },
    ...(options.era && { era: options.era }),
    handlers,
    capabilities: { elicitationUrl: true, samplingTools: true, samplingContext: true },
    limits: { requestTimeoutMs: Infinity, maxInputRounds: 1000 },
    extensions: {
      middleware: [forwardToClient],
      notifications: { '*': onNotification },
    },
    events: { onLog },
  });
  const { capabilities, info, instructions } = client.server;
  const { [TASKS_EXTENSION]: _tasks, ...extensions } = capabilities.extensions ?? {};

  const forward = async (method: string, params: JsonObject, context: InteractiveContext) => {
    const send = interactive[method];
    if (send === undefined) {
      const sent = { signal: context.signal, meta: metaOf(context) };
      return { ...(await plain[method]?.(client, params, sent).catch(throwToClient)) };
    }
    const id = await context.once('era-proxy', () => {
      const key = randomUUID();
      const sending = async (sent: RequestOptions) => ({
        ...(await send(client, params, sent).catch(throwToClient)),
      });
      running.set(key, new ForwardedRequest(context, sending, () => running.delete(key)));
      return key;
    });
    const request = running.get(id);
    if (request === undefined) throw new Error('The request has expired. Send it again.');
    try {
      const result = await request.serve(context);
      running.delete(id);
      return result;
    } catch (error) {
      if (!(error instanceof Suspended)) running.delete(id);
      throw error;
    }
  };

  /** Declares the tools whose calls may become tasks. All other calls are forwarded before the server looks for a tool. */
  const taskTools = async (): Promise<readonly ToolDefinition[]> => {
    const tools = await client.listTools({ cache: 'none' });
    return tools.flatMap((tool) => {
      const { name, inputSchema } = tool;
      const task = taskSupportOf(tool, client);
      if (task === undefined) return [];
      const handler = async (args: JsonObject, context: InteractiveContext) => ({
        content: [],
        ...(await forward('tools/call', { name, arguments: args }, context)),
      });
      return [{ name, inputSchema, task, handler }];
    });
  };

  const middleware: ServerMiddleware = async ({ method, params, context }, next) => {
    const isForwarded = method in interactive || method in plain;
    const isTask = method === 'tools/call' && server.tool(String(params['name'])) !== undefined;
    const { _meta, ...rest } = params;
    contexts.add(context);
    try {
      if (isForwarded && !isTask) return await forward(method, rest, context);
      return await next().catch(async (error: unknown) => {
        if (!isUnknownMethod(error)) throw error;
        // A method that the proxy has not: one that the specification does not define.
        const sent = { signal: context.signal, meta: metaOf(context) };
        return client.request(method, rest, sent).catch(throwToClient);
      });
    } finally {
      contexts.delete(context);
    }
  };

  /** Only its subscriptions are used: lists and contents are forwarded before. */
  const resources: ResourceProvider = {
    list: () => Promise.resolve({ resources: [] }),
    read: (uri) => Promise.reject(new ResourceNotFoundError(uri)),
    ...(capabilities.resources?.subscribe === true && {
      subscribe: async (uri) => {
        const onResourceUpdated = (updated: string): void =>
          server.changes.resourceUpdated(updated);
        const watch = await client.watch({ resources: [uri], onResourceUpdated });
        return () => watch.close();
      },
    }),
  };

  const server = createServer({
    info: info ?? { name: 'era-proxy', version: '1.0.0' },
    ...(instructions !== undefined && { instructions }),
    ...(capabilities.tools && { tools: await taskTools() }),
    ...(capabilities.prompts && { prompts: [] }),
    ...(capabilities.resources && { resources }),
    extensions: {
      capabilities: { extensions, experimental: capabilities.experimental ?? {} },
      middleware: [middleware],
      notifications: { '*': (params, _session, name) => client.notify(name, params) },
    },
    settings: {
      limits: { progressIntervalMs: 0 },
      ...(capabilities.tools && { tasks: { pollIntervalMs: 100 } }),
    },
    events: {
      onLegacySession: async (opened) => {
        session = opened;
        await client.rootsChanged();
      },
    },
  });
  if (capabilities.logging !== undefined) await client.setLogLevel('debug');
  await client.watch({
    onToolsChanged: () => void taskTools().then((tools) => server.setTools(tools)),
    onPromptsChanged: () => server.changes.promptsChanged(),
    onResourcesChanged: () => server.changes.resourcesChanged(),
  });
  return { server, close: () => client.close() };
}

function isUnknownMethod(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === ErrorCode.methodNotFound;
}
