/** Amount of work for a server or a client in one round. */
export interface CallLoad {
  /** Calls before the first measurement, so that the code is compiled: the same number for each implementation, a tenth of them with one in flight. */
  readonly warmUpCalls: number;
  /** Calls of each phase, by the number of calls in flight; a phase that is left out is not measured. */
  readonly calls: { readonly [phase in CallPhase]?: number };
  readonly lists: number;
  /** Calls that are answered after many progress notifications. */
  readonly floods: number;
  /** Progress notifications of each such call; default `FLOOD_NOTIFICATIONS`. */
  readonly notifications?: number;
  /** Milliseconds after which a measured phase of calls or lists ends early; default none. The warm-up always makes all its calls. */
  readonly limitMs?: number;
}

export interface Load {
  readonly rounds: number;
  readonly stdio: CallLoad;
  readonly http: CallLoad;
  /** Load of an HTTP server with 102 tools. */
  readonly manyTools: CallLoad;
  readonly sessions: number;
  /** Processes to start for each figure of a start or an import. */
  readonly starts: number;
}

/** Calls in flight in each phase of calls. */
export const CALLS_IN_FLIGHT = { sequential: 1, sixteen: 16, concurrent: 64 } as const;
export type CallPhase = keyof typeof CALLS_IN_FLIGHT;
export const FLOOD_NOTIFICATIONS = 2000;

export const fullLoad: Load = {
  rounds: 5,
  stdio: {
    warmUpCalls: 20_000,
    calls: { sequential: 4000, sixteen: 8000, concurrent: 15_000 },
    lists: 200,
    floods: 10,
  },
  http: {
    warmUpCalls: 4000,
    calls: { sequential: 2000, sixteen: 3000, concurrent: 5000 },
    lists: 200,
    floods: 6,
    limitMs: 700,
  },
  manyTools: {
    warmUpCalls: 2000,
    calls: { sequential: 2000, concurrent: 5000 },
    lists: 0,
    floods: 0,
    limitMs: 700,
  },
  sessions: 1000,
  starts: 3,
};

export const quickLoad: Load = {
  rounds: 1,
  stdio: {
    warmUpCalls: 2000,
    calls: { sequential: 500, sixteen: 2000, concurrent: 4000 },
    lists: 20,
    floods: 2,
  },
  http: {
    warmUpCalls: 300,
    calls: { sequential: 100, sixteen: 300, concurrent: 500 },
    lists: 10,
    floods: 1,
    limitMs: 300,
  },
  manyTools: {
    warmUpCalls: 300,
    calls: { concurrent: 300 },
    lists: 0,
    floods: 0,
    limitMs: 300,
  },
  sessions: 200,
  starts: 1,
};
