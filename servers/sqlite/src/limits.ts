/** The limits of every query. */
export interface SqliteLimits {
  /** Time limit of one query in milliseconds, at least 100; default 5000. */
  readonly timeoutMs: number;
  /**
   * Time limit for the lock of another process in milliseconds, at most four fifths of `timeoutMs`;
   * default 5000.
   */
  readonly busyTimeoutMs: number;
  /** Maximum number of rows of one result; default 1000. */
  readonly maxRows: number;
  /** Longest text or base64 of one value in bytes; default 65536. */
  readonly maxCellBytes: number;
  /** Longest tool result in bytes, as sent; default 1048576. */
  readonly maxResultBytes: number;
  /**
   * Maximum resident memory of a query process in MiB, of which it needs about 70 itself; default
   * 512.
   */
  readonly maxMemoryMb: number;
}

export const DEFAULT_LIMITS: SqliteLimits = {
  timeoutMs: 5000,
  busyTimeoutMs: 5000,
  maxRows: 1000,
  maxCellBytes: 64 * 1024,
  maxResultBytes: 1024 * 1024,
  maxMemoryMb: 512,
};
