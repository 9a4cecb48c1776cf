import {
  type CallToolResult,
  ErrorCode,
  type JsonObject,
  type JsonRpcRequest,
  ProtocolError,
  type Tool,
} from '@signalbox/mcp-core';
import type { Client } from '@signalbox/mcp-core/client';
import {
  createServer,
  defineMethod,
  type Server,
  type ServerMiddleware,
} from '@signalbox/mcp-core/server';
import { isVisibleTo, UI_VERSION } from './ui-extension.ts';

/** A call whose result a view shows. */
export interface ShownCall {
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly result: CallToolResult;
}

/** The `postMessage` side of an iframe. */
export interface ViewPort {
  postMessage(message: JsonObject): void;
}

/** Requests of a view that the host decides. */
export interface ViewEvents {
  /** Called with a message of the view to the conversation. */
  readonly onMessage: (params: JsonObject) => void;
  /** Called with a URL that the view wants to open. */
  readonly onOpenLink: (url: string) => void;
}

export interface ViewConnectionOptions {
  readonly client: Client;
  readonly call: ShownCall;
  /** The tools of the server. */
  readonly tools: readonly Tool[];
  readonly port: ViewPort;
  readonly events: ViewEvents;
}

/** Serves a view: its own methods, and tools and resources of the server behind the view. */
export class ViewConnection {
  readonly #options: ViewConnectionOptions;
  readonly #server: Server;
  readonly #closed = new AbortController();

  constructor(options: ViewConnectionOptions) {
    this.#options = options;
    this.#server = createServer({
      info: { name: 'view-host', version: '1.0.0' },
      extensions: { methods: viewMethods(options), middleware: [forward(options)] },
    });
  }

  /** Handles a message of the view. Ignores values that are not messages. */
  async received(message: unknown): Promise<void> {
    if (!isMessage(message) || this.#closed.signal.aborted) return;
    if (isRequest(message)) await this.#respond(message);
    else if (message.method === 'ui/notifications/initialized') this.#sendCall();
  }

  /** Cancels the requests of the view. */
  close(): void {
    this.#closed.abort();
  }

  async #respond(request: JsonRpcRequest): Promise<void> {
    const response = await this.#server.handle(request, {
      signal: this.#closed.signal,
      notify: (method, params) => {
        this.#post({ method, params });
        return Promise.resolve();
      },
      legacyVersion: '2025-11-25',
    });
    this.#post({ id: request.id, ...response });
  }

  #sendCall(): void {
    const { args, result } = this.#options.call;
    this.#post({ method: 'ui/notifications/tool-input', params: { arguments: args } });
    this.#post({ method: 'ui/notifications/tool-result', params: result });
  }

  #post(message: JsonObject): void {
    if (!this.#closed.signal.aborted)
      this.#options.port.postMessage({ jsonrpc: '2.0', ...message });
  }
}

function viewMethods({ call, events }: ViewConnectionOptions) {
  return {
    'ui/initialize': defineMethod({
      params: {
        type: 'object',
        properties: { protocolVersion: { type: 'string' }, appCapabilities: { type: 'object' } },
        required: ['protocolVersion'],
      },
      handler: () => ({
        protocolVersion: UI_VERSION,
        hostInfo: { name: 'view-host', version: '1.0.0' },
        hostCapabilities: { serverTools: {}, serverResources: {}, openLinks: {} },
        hostContext: { toolInfo: { tool: call.tool } },
      }),
    }),
    'ui/message': defineMethod({
      handler: (params) => {
        events.onMessage(params);
        return {};
      },
    }),
    'ui/open-link': defineMethod({
      params: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
      handler: ({ url }) => {
        if (!/^https?:\/\//u.test(url))
          throw new ProtocolError(ErrorCode.invalidParams, 'Only web addresses can be opened');
        events.onOpenLink(url);
        return {};
      },
    }),
  };
}

/** Forwards `tools/call` and `resources/read` to the server. */
function forward({ client, tools }: ViewConnectionOptions): ServerMiddleware {
  const callable = new Set(
    tools.filter((tool) => isVisibleTo('app', tool)).map(({ name }) => name),
  );
  return async ({ method, params, context: { signal } }, next) => {
    if (method === 'resources/read')
      return { contents: await client.readResource(String(params.uri), { signal }) };
    if (method !== 'tools/call') return next();
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string' || !callable.has(name))
      throw new ProtocolError(ErrorCode.invalidParams, `Views cannot call ${String(name)}`);
    return client.callTool(name, args as JsonObject, { signal });
  };
}

function isMessage(value: unknown): value is JsonObject & { readonly method: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'method' in value &&
    typeof value.method === 'string'
  );
}

function isRequest(message: JsonObject): message is JsonObject & JsonRpcRequest {
  return typeof message.id === 'string' || typeof message.id === 'number';
}
