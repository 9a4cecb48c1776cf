import type { CreateMessageParams, Era } from '@signalbox/mcp-core';
import { connectClient, type Client, type InputHandlers } from '@signalbox/mcp-core/client';
import { createInMemoryTransports } from '@signalbox/mcp-core/testing';
import { createLogger } from '@signalbox/server-kit';
import { afterAll, onTestFinished } from 'vitest';
import {
  createSqliteServer,
  type SqliteServer,
  type SqliteServerOptions,
} from '../create-sqlite-server.ts';

export interface ClientOptions {
  /** Protocol era of the client; default modern. */
  readonly era?: Era;
  /** Answers form elicitation; without it the client has no elicitation. */
  readonly elicit?: (message: string) => 'accept' | 'decline' | 'cancel';
  /** Answers sampling requests with a text; without it the client has no sampling. */
  readonly sample?: (params: CreateMessageParams) => string;
}

export interface ServerOptions extends Omit<SqliteServerOptions, 'databases' | 'log'> {
  /** Further databases by name. */
  readonly databases?: { readonly [name: string]: string };
  /** Receives the log. */
  readonly lines?: string[];
}

/**
 * Starts a server for the database at `path`, named `main`, and connects a client. Both are closed
 * after the test.
 */
export async function connect(
  path: string,
  { era, elicit, sample, ...options }: ServerOptions & ClientOptions = {},
): Promise<Client> {
  const sqlite = startServer(path, options);
  onTestFinished(() => sqlite.close());
  return connectTo(sqlite, {
    ...(era === undefined ? {} : { era }),
    ...(elicit === undefined ? {} : { elicit }),
    ...(sample === undefined ? {} : { sample }),
  });
}

/**
 * Starts one server for the tests of a file, and returns a function that connects a client to it,
 * which is closed after the test.
 */
export function shareServer(
  path: string,
  options: ServerOptions = {},
): (options?: ClientOptions) => Promise<Client> {
  const sqlite = startServer(path, options);
  afterAll(() => sqlite.close());
  return (client = {}) => connectTo(sqlite, client);
}

function startServer(
  path: string,
  { lines = [], databases = {}, ...options }: ServerOptions,
): SqliteServer {
  return createSqliteServer({
    databases: { main: path, ...databases },
    ...options,
    log: createLogger('debug', { write: (line) => lines.push(line) }),
  });
}

async function connectTo(
  sqlite: SqliteServer,
  { era = 'modern', elicit, sample }: ClientOptions,
): Promise<Client> {
  const [near, far] = createInMemoryTransports();
  await sqlite.server.connect(far);
  const handlers: InputHandlers = {
    ...(elicit === undefined
      ? {}
      : {
          elicit: ({ message }) =>
            Promise.resolve({ action: elicit(message), content: { confirm: true } }),
        }),
    ...(sample === undefined
      ? {}
      : {
          sample: (params) =>
            Promise.resolve({
              role: 'assistant',
              content: { type: 'text', text: sample(params) },
              model: 'test-model',
            }),
        }),
  };
  const client = await connectClient(() => near, {
    info: { name: 'test', version: '1' },
    era,
    handlers,
  });
  onTestFinished(() => client.close());
  return client;
}
