import { Client, Pool, types, type ClientConfig } from 'pg';
import { connectionOptions } from './connection-options.ts';
import { createBatchingSocket } from './batching-socket.ts';
import { fromStoredText } from './stored-text.ts';

export interface PostgresOptions {
  /** Connection string, `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Maximum number of connections for reads and transactions; one more holds locks and signals. Default: 10. */
  readonly connections?: number | undefined;
  /** Milliseconds after which the server cancels a statement. Default: 30,000. */
  readonly statementTimeoutMs?: number | undefined;
}

/** Milliseconds for which a new connection may take, and a query may wait for a free one. */
const CONNECT_MS = 10_000;
const STATEMENT_MS = 30_000;
/** Milliseconds after which the server ends the transaction of a process that is frozen. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const CONNECTIONS = 10;
/** Milliseconds that a response may need on the network, beyond the time of the statement. */
const NETWORK_MS = 5000;

/** Lets the server notice within 30 seconds that the machine of this process is gone. */
const KEEPALIVE =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4';

/** Numbers of types in PostgreSQL. @see https://www.postgresql.org/docs/current/catalog-pg-type.html */
const BOOLEAN = 16;
const INT8 = 20;
const TEXT = 25;
const NUMERIC = 1700;

/** Converts values as SQLite returns them: every number as a number, booleans as 0 and 1. */
const PARSERS = new Map<number, (value: string) => unknown>([
  [BOOLEAN, (value) => (value === 't' ? 1 : 0)],
  [INT8, Number],
  [NUMERIC, Number],
  [TEXT, fromStoredText],
]);

/** The parsers of pg, whose declaration covers only the types that it knows. */
const builtInParser = types.getTypeParser as (
  type: number,
  format?: 'text',
) => (value: string) => unknown;

/** Returns the conversion of values of a type from their text. */
export function parserOf(type: number): (value: string) => unknown {
  return PARSERS.get(type) ?? builtInParser(type, 'text');
}

function configOf({ url, statementTimeoutMs = STATEMENT_MS }: PostgresOptions): ClientConfig {
  const { connectionString, options } = connectionOptions(url);
  return {
    connectionString,
    application_name: 'signalbox',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    options: `${KEEPALIVE} ${options}`,
    keepAlive: true,
    types: {
      getTypeParser: (type: number): ((value: string) => unknown) => parserOf(type),
    },
  };
}

/** Creates a pool that opens its connections when they are needed. */
export function createPool(options: PostgresOptions): Pool {
  const pool = new Pool({
    ...configOf(options),
    max: options.connections ?? CONNECTIONS,
    // Queries of a transaction are sent without waiting for the results of those before.
    pipeline: true,
    stream: createBatchingSocket,
    // The server gives up first, unless the network is broken.
    query_timeout: (options.statementTimeoutMs ?? STATEMENT_MS) + NETWORK_MS,
  });
  // A connection that ends while it is idle is replaced at the next use.
  pool.on('error', () => undefined);
  // A connection that ends while it is used fails its query, and must not end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/** Creates a single connection without opening it. */
export function createClient(options: PostgresOptions): Client {
  return new Client(configOf(options));
}
