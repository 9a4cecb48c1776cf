import { createRequire } from 'node:module';
import { packageFile } from '../support/command.ts';

/** Loads the packages of the agent, in its versions. */
const load = createRequire(packageFile('@signalbox/agent', 'package.json'));

interface PostgresClient {
  connect(): Promise<void>;
  query(
    text: string,
  ): Promise<{ readonly rows: readonly { readonly [column: string]: unknown }[] }>;
  end(): Promise<void>;
  on(event: 'error', listener: () => void): void;
}

interface BullmqQueue {
  add(name: string, data: object, options: { readonly jobId: string }): Promise<unknown>;
  close(): Promise<void>;
  on(event: 'error', listener: () => void): void;
}

export const { Client: PgClient } = load('pg') as {
  readonly Client: new (options: { readonly connectionString: string }) => PostgresClient;
};

export const { Queue: BullmqQueue, createPostgresBackend } = load('bullmq') as {
  readonly Queue: new (name: string, options: object, backend?: unknown) => BullmqQueue;
  readonly createPostgresBackend: unknown;
};
