import type { Implementation, QuestionHandlers } from '@signalbox/mcp-core';
import type { Client } from '@signalbox/mcp-core/client';
import type { ServerConfig } from '../config/config.ts';

/** One connected server process. */
export interface ServerConnection {
  readonly client: Pick<
    Client,
    'server' | 'listTools' | 'callTool' | 'tasks' | 'ping' | 'watch' | 'changes' | 'listResources' | 'listResourceTemplates' | 'readResource' | 'listPrompts' | 'getPrompt' | 'complete'
  >;
  readonly pid: number | undefined;
  /** Resolves when the process has ended. */
  readonly exited: Promise<unknown>;
  /** Ends the process and everything it started; idempotent. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly info: Implementation;
  readonly handlers: QuestionHandlers;
  /** Aborted when the connection is not wanted any more: the attempt ends its process and rejects. */
  readonly signal: AbortSignal;
  readonly onStderr: (line: string) => void;
  /** Hears the server's log messages, and what of its output could not be used. */
  readonly onLog: (line: string) => void;
  readonly onToolsChanged: () => void;
  /** Called once, when an opened connection ended for whatever reason. */
  readonly onClosed: (error?: Error) => void;
}

/** Starts a server and connects to it; rejects, with nothing left running, when that fails. */
export type ConnectServer = (server: ServerConfig, options: ConnectOptions) => Promise<ServerConnection>;
