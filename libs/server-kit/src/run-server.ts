import type { ParseArgsOptionsConfig } from 'node:util';
import type { Server } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';
import {
  commonUsage,
  parseCommandLine,
  withVariable,
  type CommandLine,
  type ParsedValues,
} from './command-line.ts';
import { createLogger, oneLine, type Logger } from './logger.ts';
import { protectStreams } from './protect-streams.ts';
import { unsupportedNode } from './node-version.ts';
import { hostConfig } from './print-config.ts';
import { serveHttpUntil } from './serve-http-until.ts';
import { UsageError } from './usage-error.ts';

/** Input of `start`: option values, environment and log. */
export interface StartInput<Options extends ParseArgsOptionsConfig> {
  readonly values: ParsedValues<Options>;
  readonly positionals: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
}

/** A server that was started, and its cleanup. */
export interface StartedServer {
  readonly server: Server;
  /**
   * Releases the resources of the server (children, watchers, sockets). The process ends 300 ms
   * after the call, finished or not.
   */
  close?(): Promise<void>;
}

/** Definition of the main program of a server. */
export interface ServerMain<Options extends ParseArgsOptionsConfig> {
  /** Name of the command, for `--version` and as the prefix of error lines. */
  readonly name: string;
  readonly version: string;
  /** Start of the `--help` text; the options of every server are added. */
  readonly usage: string;
  /**
   * Prefix of the environment variables for options: with `MCP_FS`, `--max-entries` is also
   * `MCP_FS_MAX_ENTRIES`. Default: no variables.
   */
  readonly envPrefix?: string | undefined;
  /**
   * Options as for `node:util` parseArgs; `http`, `log-level`, `print-config`, `version` and `help`
   * are added.
   */
  readonly options: Options;
  /** Builds the server. Throw `UsageError` for arguments that cannot be used. */
  start(input: StartInput<Options>): Promise<StartedServer>;
}

/**
 * Runs a server process: arguments, `start`, serving over stdio or HTTP, shutdown. Exits 0 within a
 * second of SIGTERM, SIGINT or, over stdio, the end of stdin. Exits 1 after one line on stderr for
 * bad arguments, a failed start, an unhandled rejection or a Node older than 22.22. Stdout carries
 * protocol messages only: `console` writes to stderr.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export async function runServer<const Options extends ParseArgsOptionsConfig>(
  definition: ServerMain<Options>,
): Promise<void> {
  const problem = unsupportedNode(process.versions.node);
  if (problem !== undefined) return exit(1, `${definition.name}: ${problem}`);
  let commandLine: CommandLine<Options>;
  try {
    commandLine = parseCommandLine(definition.options, {
      args: process.argv.slice(2),
      env: process.env,
      envPrefix: definition.envPrefix,
    });
  } catch (error) {
    return exit(1, startFailure(definition.name, error));
  }
  switch (commandLine.kind) {
    case 'help':
      process.stdout.write(`${definition.usage.trimEnd()}\n${commonUsage}\n`);
      return;
    case 'version':
      process.stdout.write(`${definition.name} ${definition.version}\n`);
      return;
    case 'print-config':
      process.stdout.write(
        hostConfig({
          name: definition.name,
          command: [process.execPath, process.argv[1] ?? ''],
          ...commandLine,
        }),
      );
      return;
    case 'start':
      await serve(definition, commandLine);
  }
}

const closeLimitMs = 300;
const shutdownLimitMs = 850;

async function serve<Options extends ParseArgsOptionsConfig>(
  definition: ServerMain<Options>,
  commandLine: Extract<CommandLine<Options>, { kind: 'start' }>,
): Promise<void> {
  const { name } = definition;
  const { values, positionals, logLevel, http, auth, variables } = commandLine;
  protectStreams();
  process.on('unhandledRejection', (error) =>
    exit(1, `${name}: unhandled rejection: ${describe(error)}`),
  );
  process.on('uncaughtException', (error) =>
    exit(1, `${name}: uncaught exception: ${describe(error)}`),
  );
  const log = createLogger(logLevel);
  let started: StartedServer;
  try {
    started = await definition.start({ values, positionals, env: process.env, log });
  } catch (error) {
    return exit(1, startFailure(name, withVariable(variables, error)));
  }
  try {
    if (http === undefined && process.stdin.isTTY)
      process.stderr.write(
        `${name}: waiting for the messages of an MCP host on stdin. Ctrl-C ends it; ${name} --help shows the options.\n`,
      );
    if (http === undefined) await serveStdioUntil(shutdownSignal(), started.server);
    else
      await serveHttpUntil(shutdownSignal(), {
        name,
        http,
        auth,
        server: started.server,
        env: process.env,
        log,
      });
    const { setTimeout: delay } = process.getBuiltinModule('node:timers/promises');
    await Promise.race([started.close?.(), delay(closeLimitMs)]);
  } catch (error) {
    return exit(
      1,
      error instanceof UsageError ? startFailure(name, error) : `${name}: ${describe(error)}`,
    );
  }
  process.exit(0);
}

/**
 * Serves over stdio until the input ends or `end` resolves; all handlers and tasks have then
 * stopped.
 */
async function serveStdioUntil(end: Promise<void>, server: Server): Promise<void> {
  const listener = await serveStdio(server);
  await Promise.race([listener.closed, end]);
  await listener.close();
}

function shutdownSignal(): Promise<void> {
  return new Promise((resolve) => {
    const shutdown = (): void => {
      // Each step of the shutdown has its own limit; together they could take longer than a host
      // waits.
      setTimeout(() => process.exit(0), shutdownLimitMs).unref();
      resolve();
    };
    process.once('SIGTERM', shutdown);
    process.once('SIGINT', shutdown);
  });
}

function startFailure(name: string, error: unknown): string {
  return error instanceof UsageError
    ? `${name}: ${error.message} (see ${name} --help)`
    : `${name}: ${describe(error)}`;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

function exit(code: number, line: string): void {
  process.stderr.write(`${oneLine(line)}\n`, () => process.exit(code));
}
