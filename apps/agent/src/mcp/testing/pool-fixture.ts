import type { JsonObject, Tool } from '@signalbox/mcp-core';
import type { StdioServerConfig } from '../../config/config.ts';
import type { Logger } from '../../ports/logger.ts';
import type { ServerStatus } from '../../ports/tool-catalogue.ts';
import type { ToolCallRequest, ToolDispatcher } from '../../ports/tool-dispatcher.ts';
import { sharedChecks } from '../../schema/testing/shared-checks.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { createServerPool, type ServerPool, type ServerPoolOptions } from '../server-pool.ts';
import { FakeServer } from './fake-server.ts';

/** Environment in which the processes of the tests share their compiled modules: they start in half of the processor time. */
export const compileCache = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };

export interface PoolFixture {
  readonly pool: ServerPool;
  readonly clock: ManualClock;
  readonly log: readonly string[];
}

/** Creates a pool of fake servers. Restart delays have no jitter. */
export function poolOf(
  fakes: { readonly [name: string]: FakeServer },
  configs: { readonly [name: string]: Partial<StdioServerConfig> } = {},
  rest: Pick<ServerPoolOptions, 'pins' | 'held'> = {},
): PoolFixture {
  const clock = new ManualClock();
  const logger = recordingLogger();
  const pool = createServerPool({
    servers: Object.keys(fakes).map((name) => serverConfig(name, configs[name])),
    clientInfo: { name: 'signalbox', version: '0' },
    logger,
    clock,
    random: () => 0,
    schemas: sharedChecks,
    ...rest,
    connect: (server, options) => (fakes[server.name] ?? new FakeServer()).connect(server, options),
  });
  return { pool, clock, log: logger.lines };
}

export function serverConfig(
  name: string,
  rest: Partial<StdioServerConfig> = {},
): StdioServerConfig {
  return {
    name,
    command: name,
    args: [],
    env: {},
    cwd: undefined,
    trust: false,
    allow: [],
    deny: [],
    roots: [],
    era: 'auto',
    approval: 'default',
    sampling: 'ask',
    ...rest,
  };
}

export function toolNamed(name: string, inputSchema: JsonObject = { type: 'object' }): Tool {
  return { name, inputSchema };
}

export function callRequest(
  wireName: string,
  rest: Partial<ToolCallRequest> = {},
): ToolCallRequest {
  return {
    wireName,
    arguments: {},
    runId: 'run-1',
    idempotencyKey: 'key-1',
    signal: new AbortController().signal,
    inactivityMs: 120_000,
    maxTotalMs: 1_800_000,
    onProgress: () => undefined,
    inputHandlers: {},
    ...rest,
  };
}

/** Returns a logger that records entries. */
export function recordingLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const log =
    (level: string): Logger['info'] =>
    (message, fields = {}) =>
      void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  return { lines, debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

/** Resolves with the server's status once it meets the condition. */
export function statusOf(
  pool: ToolDispatcher,
  name: string,
  condition: (status: ServerStatus) => boolean,
): Promise<ServerStatus> {
  return new Promise((resolve) => {
    const check = (status: ServerStatus): void => {
      if (status.name === name && condition(status)) resolve(status);
    };
    pool.onServerChange(check);
    pool.servers().forEach(check);
  });
}
