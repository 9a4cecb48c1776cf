import { formatNumber } from './format.ts';

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
  /** ASCII characters of the text that `echo` receives and returns; default 8. */
  readonly textLength?: number;
  /** Milliseconds after which a measured phase of calls or lists ends early; default none. The warm-up always makes all its calls. */
  readonly limitMs?: number;
}

export interface Load {
  readonly rounds: number;
  readonly stdioServer: CallLoad;
  readonly stdioClient: CallLoad;
  /** Load of a stdio server with texts of `LONG_TEXT` characters. */
  readonly longTexts: CallLoad;
  /** Calls, 16 in flight, that a fresh stdio server answers until its peak memory is read. */
  readonly memoryCalls: number;
  readonly http: CallLoad;
  /** Load of an HTTP server with 102 tools. */
  readonly manyTools: CallLoad;
  /** Load of a server with HTTP sessions, with its event store and without. */
  readonly eventStore: CallLoad;
  readonly sessions: number;
  /** Processes to start for each figure of a start or an import. */
  readonly starts: number;
}

/** Calls in flight in each phase of calls. */
export const CALLS_IN_FLIGHT = {
  sequential: 1,
  sixteen: 16,
  concurrent: 64,
  crowded: 128,
} as const;
export type CallPhase = keyof typeof CALLS_IN_FLIGHT;
export const FLOOD_NOTIFICATIONS = 2000;
/** Characters of a long text: 10 KB. */
export const LONG_TEXT = 10_000;

/** A stdio server seldom gets many calls. */
const WARM_UP_CALLS = 5000;
const QUICK_WARM_UP_CALLS = 300;
const stdio: CallLoad = {
  warmUpCalls: WARM_UP_CALLS,
  calls: { sequential: 4000, sixteen: 8000, concurrent: 15_000 },
  lists: 200,
  floods: 10,
};
const quickStdio: CallLoad = {
  warmUpCalls: QUICK_WARM_UP_CALLS,
  calls: { sequential: 500, sixteen: 2000, concurrent: 4000 },
  lists: 20,
  floods: 2,
};

export const fullLoad: Load = {
  rounds: 5,
  stdioServer: { ...stdio, calls: { ...stdio.calls, crowded: 8000 } },
  stdioClient: stdio,
  longTexts: {
    warmUpCalls: WARM_UP_CALLS,
    calls: { sixteen: 2000 },
    lists: 0,
    floods: 0,
    textLength: LONG_TEXT,
  },
  memoryCalls: 10_000,
  http: {
    warmUpCalls: WARM_UP_CALLS,
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
  eventStore: {
    warmUpCalls: WARM_UP_CALLS,
    calls: { sixteen: 3000 },
    lists: 0,
    floods: 6,
  },
  sessions: 1000,
  starts: 3,
};

export const quickLoad: Load = {
  rounds: 1,
  stdioServer: { ...quickStdio, calls: { ...quickStdio.calls, crowded: 2000 } },
  stdioClient: quickStdio,
  longTexts: {
    warmUpCalls: QUICK_WARM_UP_CALLS,
    calls: { sixteen: 300 },
    lists: 0,
    floods: 0,
    textLength: LONG_TEXT,
  },
  memoryCalls: 2000,
  http: {
    warmUpCalls: QUICK_WARM_UP_CALLS,
    calls: { sequential: 100, sixteen: 300, concurrent: 500 },
    lists: 10,
    floods: 1,
    limitMs: 300,
  },
  manyTools: {
    warmUpCalls: QUICK_WARM_UP_CALLS,
    calls: { concurrent: 300 },
    lists: 0,
    floods: 0,
    limitMs: 300,
  },
  eventStore: { warmUpCalls: QUICK_WARM_UP_CALLS, calls: { sixteen: 300 }, lists: 0, floods: 1 },
  sessions: 200,
  starts: 1,
};

const SHORT_TEXT = 'good day';

/** Returns the text that `echo` is called with. */
export function textOfCalls({ textLength = SHORT_TEXT.length }: CallLoad): string {
  return SHORT_TEXT.padEnd(textLength, ` ${SHORT_TEXT}`);
}

/** Describes the calls before the first measurement of a process in a sentence. */
export function describeWarmUp({ stdioServer, manyTools }: Load): string {
  const calls = formatNumber(stdioServer.warmUpCalls, 0);
  const withManyTools = formatNumber(manyTools.warmUpCalls, 0);
  return `Figures of calls are taken after ${calls} warm-up calls, ${withManyTools} with 102 tools, the same number for each implementation.`;
}
