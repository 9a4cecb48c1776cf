import type { Implementation, InputHandlers } from '@signalbox/mcp-core';
import type { Client, ClientOptions, SchemaEvaluator } from '@signalbox/mcp-core/client';
import type { ServerConfig } from '../config/config.ts';

/** One connected server. */
export interface ServerConnection {
  readonly client: Pick<
    Client,
    | 'server'
    | 'listTools'
    | 'callTool'
    | 'tasks'
    | 'ping'
    | 'watch'
    | 'changes'
    | 'rootsChanged'
    | 'listResources'
    | 'listResourceTemplates'
    | 'readResource'
    | 'listPrompts'
    | 'getPrompt'
    | 'complete'
  >;
  /** Of the server's process; undefined for a server that runs elsewhere. */
  readonly pid: number | undefined;
  /** Resolves when the process has ended, or the connection to a server that runs elsewhere. */
  readonly exited: Promise<unknown>;
  /** Ends the connection, and the process with everything it started; idempotent. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly info: Implementation;
  readonly handlers: InputHandlers;
  /** Aborted when the connection is not wanted any more: the attempt ends what it began and rejects. */
  readonly signal: AbortSignal;
  readonly onStderr: (line: string) => void;
  /** Hears the server's log messages, and what of its output could not be used. */
  readonly onLog: (line: string) => void;
  readonly onToolsChanged: () => void;
  /** Hears that what a person was sent to a URL for is done, by the server's id of it. */
  readonly onElicitationComplete: (elicitationId: string) => void;
  /** For the output schemas of the server. */
  readonly schemaEvaluator: SchemaEvaluator;
  /** Called once, when an opened connection ended for whatever reason. */
  readonly onClosed: (error?: Error) => void;
}

/** Starts a server, unless it runs elsewhere, and connects to it; rejects, with nothing left running, when that fails. */
export type ConnectServer = (
  server: ServerConfig,
  options: ConnectOptions,
) => Promise<ServerConnection>;

/** What every client of the pool is. */
export function clientOptions(
  { era, connectMs }: ServerConfig,
  { info, handlers, onToolsChanged, onElicitationComplete, onLog, schemaEvaluator }: ConnectOptions,
): Omit<ClientOptions, 'onClosed'> {
  return {
    era,
    ...(connectMs === undefined ? {} : { connectTimeoutMs: connectMs }),
    info,
    handlers,
    capabilities: { elicitationUrl: true, samplingTools: true },
    schemaEvaluator,
    onToolsChanged,
    onElicitationComplete,
    onLog: ({ level, logger, data }) =>
      onLog(
        `${level} ${logger ?? 'log'}: ${typeof data === 'string' ? data : JSON.stringify(data)}`,
      ),
    onProblem: (problem) => onLog(problem.message),
  };
}
