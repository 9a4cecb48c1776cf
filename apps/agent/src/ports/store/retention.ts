import type { Run, SettledStatus } from './run.ts';

/**
 * Times in milliseconds since the Unix epoch. A run with one of these statuses is due for deletion
 * if it ended at that time or before.
 */
export type RetentionCutoffs = { readonly [S in SettledStatus]?: number | undefined };

/** A run that is due for deletion. */
export type DueRun = Pick<Run, 'id' | 'threadId' | 'createdAt'>;

export interface RetentionReader {
  /**
   * Returns runs that are due, oldest first, after an entry of an earlier page. Of a thread only the
   * last run is returned.
   */
  dueRuns(options: {
    readonly status: SettledStatus;
    readonly endedBy: number;
    readonly after?: DueRun | undefined;
    readonly limit: number;
  }): Promise<readonly DueRun[]>;
}

export interface RetentionWriter {
  /**
   * Hides a run that is due from every read, with its inbox items and stored responses; of a thread
   * all runs, if all are due. The other rows remain until `deleteErased`. Returns the number of runs.
   */
  eraseDueRuns(run: Pick<DueRun, 'id' | 'threadId'>, cutoffs: RetentionCutoffs): Promise<number>;
  /** Hides one run, whenever it ended, as `eraseDueRuns` does. Returns the number of runs. */
  eraseRun(id: string): Promise<number>;
  /**
   * Deletes some rows of erased runs, in a transaction of a few milliseconds. Artifacts that another
   * run owns are kept. Returns whether rows remain.
   */
  deleteErased(): Promise<boolean>;
}
