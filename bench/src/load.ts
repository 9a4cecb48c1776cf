/** How much is done with a server or a client in one round. */
export interface CallLoad {
  /** Calls before anything is measured, a tenth of them one after the other, so that the code is compiled. */
  readonly warmUpCalls: number;
  /** Calls one after the other. */
  readonly sequentialCalls: number;
  /** Calls with 64 in flight. */
  readonly concurrentCalls: number;
  readonly lists: number;
  /** Calls that are answered after `FLOOD_NOTIFICATIONS` progress notifications. */
  readonly floods: number;
  /** Milliseconds after which a phase of calls or lists ends, whatever is left of it; default none. */
  readonly limitMs?: number;
}

export interface Load {
  readonly rounds: number;
  readonly stdio: CallLoad;
  readonly http: CallLoad;
  /** For an HTTP server with 102 tools. */
  readonly manyTools: CallLoad;
  readonly sessions: number;
  /** Processes started, for each figure of a start or an import. */
  readonly starts: number;
}

export const CALLS_IN_FLIGHT = 64;
export const FLOOD_NOTIFICATIONS = 2000;

export const fullLoad: Load = {
  rounds: 5,
  stdio: {
    warmUpCalls: 20_000,
    sequentialCalls: 4000,
    concurrentCalls: 15_000,
    lists: 200,
    floods: 10,
  },
  http: {
    warmUpCalls: 8000,
    sequentialCalls: 2000,
    concurrentCalls: 5000,
    lists: 200,
    floods: 6,
    limitMs: 700,
  },
  manyTools: {
    warmUpCalls: 8000,
    sequentialCalls: 2000,
    concurrentCalls: 5000,
    lists: 0,
    floods: 0,
    limitMs: 700,
  },
  sessions: 1000,
  starts: 3,
};

export const quickLoad: Load = {
  rounds: 1,
  stdio: { warmUpCalls: 2000, sequentialCalls: 500, concurrentCalls: 4000, lists: 20, floods: 2 },
  http: {
    warmUpCalls: 300,
    sequentialCalls: 100,
    concurrentCalls: 500,
    lists: 10,
    floods: 1,
    limitMs: 300,
  },
  manyTools: {
    warmUpCalls: 300,
    sequentialCalls: 0,
    concurrentCalls: 300,
    lists: 0,
    floods: 0,
    limitMs: 300,
  },
  sessions: 200,
  starts: 1,
};
