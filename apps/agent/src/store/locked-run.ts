import type { Clock } from '../ports/clock.ts';
import { isSettled, type Run, type RunCore, type RunPatch } from '../ports/store/run.ts';
import type { ToolCall } from '../ports/store/tool-call.ts';
import type { StoreTransaction } from '../ports/store.ts';
import { runCodec, type RunColumns } from './database.ts';
import { insertEventRows } from './event-rows.ts';
import type { RUN_COLUMNS } from './columns.ts';
import { selectRun, selectRunCore } from './read-queries.ts';
import type { Awaitable, Rows } from './rows.ts';
import { updateRun } from './run-texts.ts';

/** Row of a run without its long columns. */
export type RunRow = Pick<RunColumns, (typeof RUN_COLUMNS)[number]>;

/** Fields that no statement of a transaction reads except by the id of the run. */
const LATE_FIELDS: ReadonlySet<string> = new Set<keyof RunPatch>([
  'turns',
  'toolCalls',
  'usage',
  'cutTurns',
  'repairedTurn',
]);

export interface LockedRunOptions {
  readonly transaction: StoreTransaction;
  readonly rows: Rows;
  readonly id: string;
  readonly clock: Clock;
  /** The row as of the lock, if it was read with it. */
  readonly row?: Promise<RunRow | undefined> | undefined;
}

/**
 * The row of the run that a transaction has locked. Nobody else changes it, so it is read once, and
 * changed in memory with each write. Counters are written together, before the commit at the latest.
 * What a call asks for is also read once.
 */
export class LockedRun {
  /** The transaction, whose reads of this run come from memory. */
  readonly transaction: StoreTransaction;
  readonly #rows: Rows;
  readonly #id: string;
  #reading: Promise<RunRow | undefined> | undefined;
  #row: RunRow | undefined;
  #decoded: { readonly row: RunRow; readonly core: RunCore } | undefined;
  /** Calls that were read, of which only the arguments can change. */
  readonly #targets = new Map<string, Pick<ToolCall, 'server' | 'tool' | 'arguments'>>();
  #late: Partial<RunColumns> = {};

  constructor({ transaction, rows, id, clock, row }: LockedRunOptions) {
    this.#rows = rows;
    this.#id = id;
    this.#reading = row;
    this.transaction = {
      ...transaction,
      ...({
        run: (runId) => (runId === id ? this.#whole() : transaction.run(runId)),
        runCore: (runId) => (runId === id ? this.#core() : transaction.runCore(runId)),
        runStatus: async (runId) =>
          runId === id ? (await this.#read())?.status : transaction.runStatus(runId),
        activeRun: async (runId) => {
          if (runId !== id) return transaction.activeRun(runId);
          const status = (await this.#read())?.status;
          return status === undefined || status === 'queued' || isSettled({ status })
            ? undefined
            : this.#core();
        },
        insertRun: (run) => {
          // The lock found no row.
          if (run.id === id) this.#reading = undefined;
          return transaction.insertRun(run);
        },
        updateRun: (runId, patch) =>
          runId === id ? this.#update(patch) : transaction.updateRun(runId, patch),
        append: async (runId, events, at = clock.now()) => {
          const found = runId === id ? await this.#known() : undefined;
          if (found === undefined || events.length === 0)
            return transaction.append(runId, events, at);
          const lastSeq = found.lastSeq + events.length;
          await this.#write({ lastSeq });
          await insertEventRows(rows, events, { runId, lastSeq, at });
          return lastSeq;
        },
        toolCall: async (callId) => {
          const call = await transaction.toolCall(callId);
          if (call !== undefined) this.#targets.set(callId, call);
          return call;
        },
        callTarget: async (callId) => this.#targets.get(callId) ?? transaction.callTarget(callId),
        updateToolCall: (callId, expected, patch) => {
          if ('arguments' in patch) this.#targets.delete(callId);
          return transaction.updateToolCall(callId, expected, patch);
        },
        eraseRun: (runId) => this.#forget(() => transaction.eraseRun(runId)),
        eraseDueRuns: (run, cutoffs) => this.#forget(() => transaction.eraseDueRuns(run, cutoffs)),
        deleteThread: (threadId) => this.#forget(() => transaction.deleteThread(threadId)),
      } satisfies Partial<StoreTransaction>),
    };
  }

  /** Writes what is not written yet. Called at the end of the work. */
  async flush(): Promise<void> {
    if (Object.keys(this.#late).length > 0) await this.#write({});
  }

  async #read(): Promise<RunRow | undefined> {
    if (this.#row !== undefined) return this.#row;
    this.#reading ??= Promise.resolve(this.#rows.first(selectRunCore, { id: this.#id }));
    const found = await this.#reading;
    // The work may insert the run.
    if (found === undefined) this.#reading = undefined;
    // Several reads may have waited for the row.
    return (this.#row ??= found);
  }

  /** Returns the row if it was read. */
  async #known(): Promise<RunRow | undefined> {
    return this.#row ?? (this.#reading === undefined ? undefined : this.#read());
  }

  async #core(): Promise<RunCore | undefined> {
    const row = await this.#read();
    if (row === undefined) return undefined;
    if (this.#decoded?.row !== row) this.#decoded = { row, core: runCodec.decode(row) };
    return this.#decoded.core;
  }

  async #whole(): Promise<Run | undefined> {
    await this.flush();
    const found = await this.#rows.first(selectRun, { id: this.#id });
    return found && runCodec.decode(found);
  }

  async #update(patch: RunPatch): Promise<void> {
    const columns = runCodec.encode(patch);
    const isLate = Object.keys(columns).every((name) => LATE_FIELDS.has(name));
    if ((await this.#known()) === undefined || !isLate) return this.#write(columns);
    Object.assign(this.#late, columns);
    this.#change(columns);
  }

  #write(columns: Partial<RunColumns>): Awaitable<void> {
    const patch = { ...this.#late, ...columns };
    this.#late = {};
    this.#change(columns);
    return updateRun(this.#rows, { id: this.#id, patch });
  }

  #change(columns: Partial<RunColumns>): void {
    if (this.#row !== undefined) this.#row = { ...this.#row, ...columns };
  }

  /** Forgets the row, which other statements change. */
  async #forget<T>(change: () => Promise<T>): Promise<T> {
    await this.flush();
    this.#row = undefined;
    this.#reading = undefined;
    return change();
  }
}
