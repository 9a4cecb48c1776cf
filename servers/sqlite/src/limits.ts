/** What bounds every query. */
export interface SqliteLimits {
  /** Longest run of one query, at least 100; default 5000. */
  readonly timeoutMs: number;
  /** Longest wait for another process's lock; at most four fifths of `timeoutMs` are used. Default 5000. */
  readonly busyTimeoutMs: number;
  /** Most rows of one result; default 1000. */
  readonly maxRows: number;
  /** Longest text or base64 of one value in bytes; default 65536. */
  readonly maxCellBytes: number;
  /** Longest tool result in bytes, as sent; default 1048576. */
  readonly maxResultBytes: number;
  /** Resident memory of a query process, in MiB, about 70 of which it needs itself; default 512. */
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
