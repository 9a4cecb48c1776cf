import type Sqlite from 'better-sqlite3';
import type { Clock } from '../ports/clock.ts';
import type { SignalBus } from '../ports/signal-bus.ts';

/** Milliseconds between two polls for commits of other processes. */
export const POLL_EVERY_MS = 40;

/** Delay before the next poll when the database cannot be read, in milliseconds. */
const RETRY_MS = 1000;

/** Maximum number of events in one read. */
const BATCH = 1000;

/** Events after which an inbox item is closed. */
const CLOSING_EVENTS = ['inbox.answered', 'inbox.void', 'inbox.expired'];

/** A row of the table of events, without most of its data. */
interface EventRow {
  readonly position: number;
  readonly runId: string;
  readonly seq: number;
  readonly type: string;
  /** Set for events that close an inbox item. */
  readonly itemId: string | null;
}

export interface ChangeFeedOptions {
  /** Connection that makes the commits of this process, which the feed therefore ignores. */
  readonly writer: Sqlite.Database;
  readonly reader: Sqlite.Database;
  readonly bus: Pick<SignalBus, 'publish'>;
  readonly clock: Clock;
}

/**
 * Publishes the commits of other processes on the bus of this one: the new events of runs, requests
 * to cancel runs, closed inbox items, and jobs and commands for workers. A poll without such commits
 * reads one number. Signals can be repeated, and those for commits of this process can be among them.
 */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  readonly #version: Sqlite.Statement<[], number>;
  readonly #hasWork: Sqlite.Statement<[], number>;
  readonly #rowAt: Sqlite.Statement<[number], EventRow>;
  readonly #rowsAfter: Sqlite.Statement<[number], EventRow>;
  readonly #lastRows: Sqlite.Statement<[], EventRow>;
  #seen: number | undefined;
  /** Last event that was read. */
  #last: EventRow | undefined;
  #cancel: () => void = () => undefined;

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
    const { writer, reader } = options;
    const closing = CLOSING_EVENTS.map((type) => `'${type}'`).join(', ');
    const select = `select rowid as position, run_id as runId, seq, type,
      case when type in (${closing}) and json_valid(data)
        then json_extract(data, '$.inbox_item_id') end as itemId
      from events`;
    this.#version = writer.prepare<[], number>('pragma data_version').pluck();
    this.#hasWork = reader
      .prepare<[], number>(
        'select exists (select 1 from handed_jobs) or exists (select 1 from fleet_requests)',
      )
      .pluck();
    this.#rowAt = reader.prepare(`${select} where rowid = ?`);
    this.#rowsAfter = reader.prepare(`${select} where rowid > ? order by rowid limit ${BATCH}`);
    this.#lastRows = reader.prepare(`${select} order by rowid desc limit ${BATCH}`);
  }

  /** Begins to poll. Commits that are older than this call are not published. */
  start(): void {
    this.#seen = this.#version.get();
    this.#last = this.#lastRows.all()[0];
    this.#schedule(POLL_EVERY_MS);
  }

  stop(): void {
    this.#cancel();
  }

  #schedule(ms: number): void {
    this.#cancel = this.#options.clock.after(ms, () => this.#poll());
  }

  #poll(): void {
    let waitMs = POLL_EVERY_MS;
    try {
      const version = this.#version.get();
      if (version !== this.#seen) {
        // A full batch leaves the version for the next poll, which reads on.
        if (this.#publishChanges()) this.#seen = version;
        else waitMs = 0;
      }
    } catch {
      // Whatever waits for a signal also looks at the store and meets the error.
      waitMs = RETRY_MS;
    }
    this.#schedule(waitMs);
  }

  /** Returns whether all events were read. */
  #publishChanges(): boolean {
    const rows = this.#newRows();
    this.#last = rows.at(-1) ?? this.#last;
    this.#publish(rows);
    if (this.#hasWork.get() === 1) this.#options.bus.publish({ type: 'servers' });
    return rows.length < BATCH;
  }

  /**
   * Returns the events after the last one that was read. When that event was deleted, returns the
   * newest events, some of them again, because SQLite gives its number to a later event.
   */
  #newRows(): readonly EventRow[] {
    if (this.#last === undefined) return this.#rowsAfter.all(0);
    const { position, runId, seq } = this.#last;
    const found = this.#rowAt.get(position);
    if (found?.runId === runId && found.seq === seq) return this.#rowsAfter.all(position);
    return this.#lastRows.all().toReversed();
  }

  #publish(rows: readonly EventRow[]): void {
    const { bus } = this.#options;
    const lastSeqs = new Map<string, number>();
    for (const { runId, seq } of rows) lastSeqs.set(runId, seq);
    for (const [runId, lastSeq] of lastSeqs) bus.publish({ type: 'events', runId, lastSeq });
    for (const { type, runId, itemId } of rows) {
      if (type === 'run.cancelling') bus.publish({ type: 'cancel', runId });
      if (itemId !== null) bus.publish({ type: 'inbox', itemId });
    }
  }
}
