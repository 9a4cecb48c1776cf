import type { Run, RunLimits } from '../../ports/store/run.ts';

/** Names of the limits in events and in the API. */
const FIELDS = {
  turns: 'turns',
  toolCalls: 'tool_calls',
  wallClockMs: 'wall_clock_ms',
  modelOutageMs: 'model_outage_ms',
  callInactivityMs: 'call_inactivity_ms',
  callMaxMs: 'call_max_ms',
  inboxExpiryMs: 'inbox_expiry_ms',
  tokens: 'tokens',
  outputTokens: 'output_tokens',
  costUsd: 'cost_usd',
} as const satisfies { readonly [Name in keyof Required<RunLimits>]: string };

type LimitField = (typeof FIELDS)[keyof typeof FIELDS];

/** Some limits, by their names in the API. */
export type LimitsData = { [Field in LimitField]?: number };

/** Limits that every run has. */
type AlwaysSet = 'wall_clock_ms' | 'call_inactivity_ms' | 'call_max_ms' | 'inbox_expiry_ms';

export type RunLimitsData = LimitsData & { [Field in AlwaysSet]: number };

// The keys are those of an object literal.
const NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

/** Returns the limits of a request; without any, an empty object. */
export function limitsOf(
  data: { readonly [Field in LimitField]?: number | undefined } = {},
): Partial<RunLimits> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = data[FIELDS[name]];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Returns some limits by their names in the API. */
export function limitsData(limits: Partial<RunLimits>): LimitsData {
  return Object.fromEntries(
    NAMES.flatMap((name) => (limits[name] === undefined ? [] : [[FIELDS[name], limits[name]]])),
  );
}

/** Returns the limits of a run. A single tool call has no limits of model calls. */
export function runLimitsData({ kind, limits }: Pick<Run, 'kind' | 'limits'>): RunLimitsData {
  // Limits with a default are always present.
  return limitsData(kind === 'call' ? callLimits(limits) : limits) as RunLimitsData;
}

function callLimits({
  wallClockMs,
  callInactivityMs,
  callMaxMs,
  inboxExpiryMs,
}: RunLimits): Partial<RunLimits> {
  return { wallClockMs, callInactivityMs, callMaxMs, inboxExpiryMs };
}
