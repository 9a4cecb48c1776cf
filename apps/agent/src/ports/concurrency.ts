/** Limits of the work that one process does at a time. */
export interface Concurrency {
  /** Maximum number of runs in a model call. Default: 32. */
  readonly modelCalls: number;
  /** Maximum number of tool calls in progress. A call that waits for a person is not counted. Default: 256. */
  readonly toolCalls: number;
  /**
   * Maximum number of tool calls in progress on one server, so that a server that hangs leaves room
   * for the others. Default: 32.
   */
  readonly callsPerServer: number;
  /**
   * Maximum number of calls that wait for a person with an open connection to their server. Default:
   * 256.
   */
  readonly heldCalls: number;
}

export const DEFAULT_CONCURRENCY: Concurrency = {
  modelCalls: 32,
  toolCalls: 256,
  callsPerServer: 32,
  heldCalls: 256,
};
