/** An attempt of a call of a server with a rate limit. */
export interface RatedCall {
  readonly server: string;
  readonly callId: string;
  /** Number of attempts that were sent before. */
  readonly attempt: number;
}

/** A call that waits for its turn in the rate limit of its server. Times in milliseconds since the Unix epoch. */
export interface CallInLine {
  readonly callId: string;
  readonly server: string;
  /** Time at which this attempt of the call reached the limit. */
  readonly since: number;
  /** Time at which its turn is expected; the limit is checked again then. */
  readonly dueAt: number;
}

/** Calls that wait for their turn in the rate limit of a server. */
export interface RateLine {
  readonly server: string;
  /** Number of calls, at least 1. */
  readonly calls: number;
  /** Earliest `dueAt` of the calls. */
  readonly nextAt: number;
}

export interface CallRateReader {
  /** Returns the calls of a run that wait for the rate limit of their server, in any order. */
  callsInLine(runId: string): Promise<readonly CallInLine[]>;
  /** Returns the servers for whose rate limit calls wait, in any order. */
  rateLines(): Promise<readonly RateLine[]>;
}

/** The calls of servers with a rate limit. No row is written for other servers. */
export interface CallRateWriter {
  /**
   * Locks the rate of a server until the end of the transaction, so that no call is counted
   * meanwhile. Precedes the other methods.
   */
  lockCallRate(server: string): Promise<void>;
  /** Adds an attempt to the end of its server's line. Returns false when it is in the line already. */
  joinCallLine(call: RatedCall, at: number): Promise<boolean>;
  /**
   * Returns the number of attempts before one in the line, at most `limit`. An attempt whose call is
   * no longer planned, or whose run has ended, has left the line.
   */
  callsAhead(call: RatedCall, limit: number): Promise<number>;
  /** Returns the time of the nth latest call that was sent after `since`; undefined when there are fewer. */
  nthLatestCall(
    server: string,
    options: { readonly nth: number; readonly since: number },
  ): Promise<number | undefined>;
  /**
   * Stores that an attempt in the line is sent, and forgets the server's calls that were sent at
   * `forgetUntil` or before, and attempts that have left the line.
   */
  leaveCallLine(
    call: RatedCall,
    times: { readonly sentAt: number; readonly forgetUntil: number },
  ): Promise<void>;
}
