import { randomUUID } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';
import type { StoreTransaction } from '../ports/store.ts';
import type { WorkerRole } from '../ports/store/worker.ts';
import { createFleetStore } from './fleet-rows.ts';
import { createHandedJobs } from './handed-job-rows.ts';
import { LockedRun, type RunRow } from './locked-run.ts';
import type { OpenedStore } from './opened-store.ts';
import type { Rows } from './rows.ts';
import { createRunReader } from './run-reader.ts';
import { createRunTransaction } from './run-transaction.ts';
import { createSecretStore } from './secret-rows.ts';
import { createServerOwners } from './server-owner-rows.ts';
import { createToolPins } from './tool-pins.ts';

/** The connections of an open database, and what only its kind can do. */
export interface StoreConnection extends Pick<OpenedStore, 'shareSignals' | 'checkFiles'> {
  /** The rows outside of a transaction. */
  readonly reader: Rows;
  /**
   * Runs work in a transaction, as `Store.write` describes. The work gets the row of the run that is
   * locked, if it was read with the lock.
   */
  readonly transaction: <T>(
    locks: Parameters<OpenedStore['write']>[0],
    work: (rows: Rows, locked?: Promise<RunRow | undefined>) => Promise<T>,
    options?: Parameters<OpenedStore['write']>[2],
  ) => Promise<T>;
  /** Fails when the database cannot be written. Changes nothing. */
  readonly probe: (rows: Rows) => Promise<unknown>;
  /** Lets other processes open the database. */
  readonly opened: () => void | Promise<void>;
  readonly close: () => Promise<void>;
}

export interface StoreUse {
  readonly clock: Clock;
  readonly role: WorkerRole;
  /** Whether no other process used the database when this one opened it. */
  readonly isAlone: boolean;
}

/**
 * Creates the store of a process on an open database with the tables of this version, and joins as a
 * worker. The caller closes the connection when this fails.
 */
export async function assembleStore(
  connection: StoreConnection,
  { clock, role, isAlone }: StoreUse,
): Promise<OpenedStore> {
  const { reader, transaction } = connection;
  const transactions = new WeakMap<Rows, StoreTransaction>();
  const transactionOn = (rows: Rows): StoreTransaction => {
    let known = transactions.get(rows);
    if (known === undefined) transactions.set(rows, (known = createRunTransaction(rows, clock)));
    return known;
  };
  const write: OpenedStore['write'] = (locks, work, options) =>
    transaction(
      locks,
      async (rows, row) => {
        if (locks.run === undefined) return work(transactionOn(rows));
        const run = new LockedRun({
          transaction: transactionOn(rows),
          rows,
          id: locks.run,
          clock,
          row,
        });
        const result = await work(run.transaction);
        await run.flush();
        return result;
      },
      options,
    );
  const writeRows = <T>(work: (rows: Rows) => Promise<T>): Promise<T> => transaction({}, work);
  const join = async (): Promise<string> => {
    const id = randomUUID();
    await write({}, (change) => change.addWorker({ id, role, pid: process.pid }));
    return id;
  };
  if (isAlone)
    await write({}, async (change) => {
      for (const { id } of await change.workers()) await change.endWorker(id);
    });
  let workerId = await join();
  await connection.opened();
  return {
    clock,
    isAlone,
    isShared: role !== 'all',
    get workerId() {
      return workerId;
    },
    async join() {
      workerId = await join();
    },
    handedJobs: createHandedJobs({ reader, write: writeRows, clock }),
    fleet: createFleetStore({ reader, write: writeRows, clock }),
    serverOwners: createServerOwners({ reader, write: writeRows, clock }),
    secrets: createSecretStore({ reader, write: writeRows, clock }),
    toolPins: createToolPins({
      reader: reader.kysely,
      write: (work) => writeRows(({ kysely }) => work(kysely)),
    }),
    read: createRunReader(reader, clock),
    write,
    shareSignals: (bus) => connection.shareSignals(bus),
    checkFiles: () => connection.checkFiles(),
    async probe() {
      connection.checkFiles();
      await writeRows((rows) => connection.probe(rows));
    },
    async close() {
      // Without this, the next process finds out by itself.
      await write({}, (change) => change.endWorker(workerId)).catch(() => undefined);
      await connection.close();
    },
  };
}
