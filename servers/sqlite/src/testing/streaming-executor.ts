import { isMainThread, workerData } from 'node:worker_threads';
import { inTransaction } from '../executor/in-transaction.ts';
import type { OperationContext } from '../executor/operation.ts';
import { startExecutor } from '../executor/start-executor.ts';
import { watchProcess, type WatchdogOptions } from '../executor/watchdog.ts';

/** The operations of this test program. */
export interface StreamingOperations {
  /** Inserts each chunk as a row of the table t, in one transaction; returns their number. */
  readonly 'import-chunks': { readonly input: object; readonly output: number };
  /** Sends a chunk for each number up to the count. */
  readonly 'export-chunks': {
    readonly input: { readonly count: number };
    readonly output: null;
  };
  /** Announces a commit that never ends. */
  readonly 'commit-forever': { readonly input: object; readonly output: null };
  /** Announces a commit and ends the process after it. */
  readonly 'commit-and-die': { readonly input: object; readonly output: null };
}

async function importChunks(_: unknown, context: OperationContext): Promise<number> {
  return inTransaction(context, async () => {
    const insert = context.database.prepare('INSERT INTO t VALUES (?)');
    let count = 0;
    for (;;) {
      const chunk = await context.stream.receive();
      if (chunk === undefined) return count;
      insert.run(chunk);
      count += 1;
    }
  });
}

async function exportChunks(input: unknown, { stream }: OperationContext): Promise<null> {
  const { count } = input as StreamingOperations['export-chunks']['input']; // Sent by the tests.
  for (let index = 0; index < count; index++) await stream.send(`chunk ${index}`);
  return null;
}

function commitForever(_: unknown, { stream }: OperationContext): null {
  stream.committing();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  return null;
}

function commitAndDie(_: unknown, { stream }: OperationContext): null {
  stream.committing();
  process.kill(process.pid, 'SIGKILL');
  return null;
}

if (isMainThread)
  await startExecutor(new URL(import.meta.url), () => ({
    'import-chunks': importChunks,
    'export-chunks': exportChunks,
    'commit-forever': commitForever,
    'commit-and-die': commitAndDie,
  }));
else watchProcess(workerData as WatchdogOptions); // Set by startExecutor.
