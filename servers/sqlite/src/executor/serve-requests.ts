import type { Database } from 'better-sqlite3';
import { DatabaseSession } from './database-session.ts';
import { describeTable } from './describe-table.ts';
import { explainQuery } from './explain-query.ts';
import { explainFailure } from './explain-failure.ts';
import { listTables } from './list-tables.ts';
import type { ExecutorConfiguration, ExecutorReply, ExecutorRequest } from './protocol.ts';
import { readQuery } from './read-query.ts';

/** The IPC channel to the parent. */
export interface ExecutorChannel {
  onRequest(listener: (request: ExecutorRequest) => void): void;
  send(reply: ExecutorReply): void;
}

/**
 * Answers requests in sequence; `activity` holds the id of the current request for the watchdog.
 */
export async function serveRequests(
  configuration: ExecutorConfiguration,
  channel: ExecutorChannel,
  activity: Int32Array,
): Promise<void> {
  const { default: Database } = await import('better-sqlite3');
  const session = new DatabaseSession({
    path: configuration.path,
    busyTimeoutMs: configuration.busyTimeoutMs,
    Database,
  });
  channel.onRequest((request) => {
    setActivity(activity, request.id);
    const reply = answer(request, configuration, session);
    setActivity(activity, 0);
    channel.send(reply);
  });
  channel.send({ kind: 'ready' });
}

function setActivity(activity: Int32Array, requestId: number): void {
  Atomics.store(activity, 0, requestId);
  Atomics.notify(activity, 0);
}

function answer(
  request: ExecutorRequest,
  configuration: ExecutorConfiguration,
  session: DatabaseSession,
): ExecutorReply {
  try {
    return {
      kind: 'result',
      id: request.id,
      output: perform(request, configuration, session.use()),
    };
  } catch (error) {
    return {
      kind: 'failure',
      id: request.id,
      message: explainFailure(error, request, session.current),
    };
  }
}

function perform(
  request: ExecutorRequest,
  configuration: ExecutorConfiguration,
  database: Database,
): unknown {
  switch (request.operation) {
    case 'read-query':
      return readQuery(database, request.input, configuration);
    case 'list-tables':
      return listTables(database, request.input, configuration.maxResultBytes);
    case 'describe-table':
      return describeTable(database, request.input.name, configuration);
    case 'explain-query':
      return explainQuery(database, request.input, configuration);
  }
}
