import type { Implementation } from '@signalbox/mcp-core';
import type {
  Client,
  ClientOptions,
  InputHandlers,
  SchemaEvaluator,
} from '@signalbox/mcp-core/client';
import type { ServerConfig } from '../config/config.ts';

/** A connection to a server. */
export interface ServerConnection {
  readonly client: Pick<
    Client,
    | 'server'
    | 'listTools'
    | 'callTool'
    | 'tasks'
    | 'ping'
    | 'watch'
    | 'rootsChanged'
    | 'listResources'
    | 'listResourceTemplates'
    | 'readResource'
    | 'listPrompts'
    | 'getPrompt'
    | 'complete'
  >;
  /** Id of the server's process. Undefined for a remote server. */
  readonly pid: number | undefined;
  /** Resolves when the process, or the connection to a remote server, has ended. */
  readonly exited: Promise<unknown>;
  /** Closes the connection and ends the process with its children. Idempotent. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly info: Implementation;
  readonly handlers: InputHandlers;
  /** Aborts the attempt to connect, which then cleans up and rejects. */
  readonly signal: AbortSignal;
  readonly onStderr: (line: string) => void;
  /** Called for the server's log messages and for output that could not be parsed. */
  readonly onLog: (line: string) => void;
  /** Called when a URL elicitation is completed. */
  readonly onElicitationComplete: (elicitationId: string) => void;
  /** Evaluates the output schemas of the server. */
  readonly schemaEvaluator: SchemaEvaluator;
  /** Called once when an open connection has ended. */
  readonly onClosed: (error?: Error) => void;
}

/** Starts a server, unless it is remote, and connects to it. Rejects with nothing left running. */
export type ConnectServer = (
  server: ServerConfig,
  options: ConnectOptions,
) => Promise<ServerConnection>;

const CONNECT_MS = 60_000;
/** Longest time that a process may be silent before `initialize` follows the probe of its era. */
const MAX_PROBE_MS = 10_000;

/**
 * Returns the options of every client of the pool. A process that `npx` starts may need seconds before it reads its first
 * request, so a silent one gets `initialize` only after a sixth of its time for connecting, at most 10 s.
 */
export function clientOptions(
  { era, connectMs = CONNECT_MS }: ServerConfig,
  options: ConnectOptions,
): ClientOptions {
  const { info, handlers, onLog, onElicitationComplete, onClosed } = options;
  return {
    era,
    limits: {
      connectTimeoutMs: connectMs,
      probeTimeoutMs: Math.min(MAX_PROBE_MS, connectMs / 6),
    },
    info,
    handlers,
    capabilities: { elicitationUrl: true, samplingTools: true },
    output: { evaluator: options.schemaEvaluator },
    events: {
      onElicitationComplete,
      onLog: ({ level, logger, data }) =>
        onLog(
          `${level} ${logger ?? 'log'}: ${typeof data === 'string' ? data : JSON.stringify(data)}`,
        ),
      onProblem: (problem) => onLog(problem.message),
      onClosed,
    },
  };
}
