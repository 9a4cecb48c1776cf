import { LocalError, type CallToolResult, type Tool } from '@signalbox/mcp-core';
import type { ChangeHandlers, RequestOptions } from '@signalbox/mcp-core/client';
import type { ServerConfig } from '../../config/config.ts';
import type { ConnectOptions, ConnectServer, ServerConnection } from '../server-connection.ts';

export interface FakeCall {
  /** Number of the launch whose connection carries the call, from 1. */
  readonly connection: number;
  readonly name: string;
  readonly arguments: unknown;
  readonly options: RequestOptions;
  readonly answer: (result: CallToolResult) => void;
  readonly fail: (error: Error) => void;
}

/** A server without a process. The test sets its reactions. */
export class FakeServer {
  tools: readonly Tool[];
  /**
   * Behavior of the next launches: an error rejects, `hang` waits for the abort. Default: connects.
   */
  readonly launchPlan: ('hang' | Error)[] = [];
  listFailure: Error | undefined;
  /** Error of a subscription to changes of the tool list. */
  watchFailure: Error | undefined;
  /** Whether lists are never answered; their requests end with the connection or the signal. */
  isListHanging = false;
  /** Resolves when closing a connection may finish. */
  closing: Promise<void> = Promise.resolve();
  /** Called while tools are listed, after the tools of the listing are fixed. */
  onList: () => void = () => undefined;
  /** Features other than tools. Default: never answered. */
  features: Pick<
    ServerConnection['client'],
    | 'tasks'
    | 'listResources'
    | 'listResourceTemplates'
    | 'readResource'
    | 'listPrompts'
    | 'getPrompt'
    | 'complete'
  > = {
    tasks: {
      get: () => noFeature(),
      result: () => noFeature(),
      cancel: () => noFeature(),
      resume: () => noFeature(),
    },
    listResources: () => noFeature(),
    listResourceTemplates: () => noFeature(),
    readResource: () => noFeature(),
    listPrompts: () => noFeature(),
    getPrompt: () => noFeature(),
    complete: () => noFeature(),
  };
  /** Answers a ping. Default: success. */
  ping: () => Promise<void> = () => Promise.resolve();
  era: 'legacy' | 'modern' = 'legacy';
  /** Whether the server has the resources capability. */
  hasResources = false;
  /** Resources that can be followed. Default: the server has no subscriptions. */
  followed: readonly string[] | undefined;
  /** Whether the server has no process. */
  isRemote = false;
  /** Number of notifications about changed roots. */
  rootsNotifications = 0;
  launches = 0;
  /** Number of open connections. */
  open = 0;
  readonly calls: FakeCall[] = [];
  /** Handlers of the open subscriptions to changes. */
  readonly watches = new Set<ChangeHandlers>();
  /** The options of each launch. */
  readonly launched: ConnectOptions[] = [];
  /** The configuration of each launch. */
  readonly configs: ServerConfig[] = [];
  #options: ConnectOptions | undefined;
  #exit: () => void = () => undefined;

  constructor(...tools: readonly Tool[]) {
    this.tools = tools;
  }

  /** The options of the last launch. */
  get options(): ConnectOptions {
    if (this.#options === undefined) throw new Error('never launched');
    return this.#options;
  }

  readonly connect: ConnectServer = async (server, options) => {
    this.#options = options;
    this.configs.push(server);
    this.launched.push(options);
    this.launches += 1;
    const plan = this.launchPlan.shift();
    if (plan instanceof Error) throw plan;
    if (plan === 'hang') {
      await new Promise((_resolve, reject) => {
        options.signal.addEventListener('abort', () =>
          reject(new LocalError('connect-failed', 'aborted')),
        );
      });
    }
    return this.#connection();
  };

  /** Announces a change of the tool list. */
  changeTools(): void {
    for (const { onToolsChanged } of this.watches) onToolsChanged?.();
  }

  /** Announces a change of a resource to its subscribers. */
  changeResource(uri: string): void {
    for (const { resources, onResourceUpdated } of this.watches)
      if (resources?.includes(uri) === true) onResourceUpdated?.(uri);
  }

  /** Ends the process: its calls are lost. */
  crash(message = 'The server process exited with code 1'): void {
    this.#exit();
    const lost = new LocalError('connection-lost', message, { sent: true });
    for (const call of this.calls.splice(0)) call.fail(lost);
    this.options.onClosed(lost);
  }

  /** Ends the process in reaction to an abort. */
  exitOnly(): void {
    this.#exit();
  }

  #connection(): ServerConnection {
    const exit = Promise.withResolvers<void>();
    const closed = new AbortController();
    let isClosed = false;
    const number = this.launches;
    this.#exit = exit.resolve;
    this.open += 1;
    return {
      pid: this.isRemote ? undefined : 4000 + this.launches,
      exited: exit.promise,
      close: () => {
        if (!isClosed) this.open -= 1;
        isClosed = true;
        exit.resolve();
        closed.abort();
        return this.closing;
      },
      client: {
        server: {
          info: { name: 'fake', version: '1.2.3' },
          capabilities: {
            tools: { listChanged: true },
            ...(this.hasResources
              ? { resources: this.followed === undefined ? {} : { subscribe: true } }
              : {}),
          },
          instructions: 'Be kind.',
          protocolVersion: this.era === 'legacy' ? '2025-11-25' : '2026-07-28',
          era: this.era,
        },
        listTools: ({ signal } = {}) => {
          const listed =
            this.listFailure === undefined
              ? Promise.resolve(this.tools)
              : Promise.reject(this.listFailure);
          this.onList();
          return this.isListHanging
            ? ended([closed.signal, ...(signal === undefined ? [] : [signal])])
            : listed;
        },
        ping: () => this.ping(),
        rootsChanged: () => {
          this.rootsNotifications += 1;
          return Promise.resolve();
        },
        watch: (handlers) => {
          if (this.watchFailure !== undefined) return Promise.reject(this.watchFailure);
          this.watches.add(handlers);
          const { promise: watchEnded, resolve } = Promise.withResolvers<undefined>();
          const close = (): Promise<void> => {
            this.watches.delete(handlers);
            resolve(undefined);
            return Promise.resolve();
          };
          void exit.promise.then(close);
          const followed = handlers.resources?.filter((uri) => this.followed?.includes(uri));
          const filter =
            followed === undefined
              ? { toolsListChanged: true }
              : { resourceSubscriptions: followed };
          return Promise.resolve({ filter, ended: watchEnded, close });
        },
        callTool: (name, args, options = {}) =>
          this.#call({ connection: number, name, arguments: args, options }),
        ...this.features,
      },
    };
  }

  #call(
    call: Pick<FakeCall, 'connection' | 'name' | 'arguments' | 'options'>,
  ): Promise<CallToolResult> {
    const { promise, resolve, reject } = Promise.withResolvers<CallToolResult>();
    this.calls.push({ ...call, answer: resolve, fail: reject });
    call.options.signal?.addEventListener(
      'abort',
      () =>
        reject(new LocalError('request-cancelled', 'The request was cancelled', { sent: true })),
      { once: true },
    );
    return promise;
  }
}

function noFeature(): never {
  throw new Error('This fake has tools only');
}

function ended(signals: readonly AbortSignal[]): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const signal of signals)
      signal.addEventListener(
        'abort',
        () => reject(new LocalError('request-cancelled', 'it ended')),
        { once: true },
      );
  });
}
