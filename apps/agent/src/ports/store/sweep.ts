/** A run that waits for the next attempt of its model call. */
export interface Retry {
  readonly runId: string;
  readonly retryAt: number;
}

/** A planned or parked call without an owner. */
export interface UnownedCall {
  readonly id: string;
  /** Time from which the call may be sent; 0 for a call that may be sent at once. */
  readonly dueAt: number;
}

/** A stored time at which a run needs a decision. */
export interface StoredDeadline {
  /** Id of the run or of the inbox item. */
  readonly id: string;
  readonly runId: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

interface Until {
  readonly until: number;
  readonly limit: number;
}

/** A queued run that may begin. */
export interface RunnableRun {
  readonly id: string;
  readonly apiKey: string;
  /** Last time at which a run of the API key began. Milliseconds since the Unix epoch. */
  readonly lastStartAt: number | undefined;
}

/** Reads of the regular sweep: the work that is due and that no signal or job may announce. */
export interface SweepReader {
  /**
   * Returns the runs whose model call is to be retried at `until` or before, earliest first, after
   * an entry of an earlier page.
   */
  retries(options: Until & { readonly after?: Retry | undefined }): Promise<readonly Retry[]>;
  /** Returns the runs whose wall clock needs attention at `until` or before, earliest first. */
  runDeadlines(options: Until): Promise<readonly StoredDeadline[]>;
  /** Returns the open inbox items that expire at `until` or before, earliest first. */
  inboxDeadlines(options: Until): Promise<readonly StoredDeadline[]>;
  /**
   * Returns queued runs that may begin, at most `perKey` of each API key. Those of one key are in the
   * order of the time at which their patience ends (`PATIENCE_MS` after their creation), then oldest
   * first. The keys take turns: first come the first runs of all keys, by the last start of a run of
   * the key.
   */
  runnableRuns(options: { readonly perKey: number }): Promise<readonly RunnableRun[]>;
  /** Returns running runs of which nothing is in progress and that wait for nothing. */
  idleRuns(options: { readonly limit: number }): Promise<readonly string[]>;
  /**
   * Returns planned and parked calls without an owner that are due at `now`, in the order of
   * `dueAt` and `id`, after an entry of an earlier page.
   */
  unownedCalls(options: {
    readonly now: number;
    readonly limit: number;
    readonly after?: UnownedCall | undefined;
  }): Promise<readonly UnownedCall[]>;
}
