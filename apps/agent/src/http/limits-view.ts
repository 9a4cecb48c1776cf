import type * as z from 'zod';
import type { Run, RunLimits } from '../ports/store/run.ts';
import type { Limits } from './schemas.ts';

type Body = z.output<typeof Limits>;
type Unset = 'turns' | 'tool_calls' | 'tokens' | 'cost_usd' | 'output_tokens';
type AllLimits = { [Field in Exclude<keyof Body, Unset>]-?: number } & {
  [Field in Unset]?: number;
};

const NAMES = [
  ['turns', 'turns'],
  ['toolCalls', 'tool_calls'],
  ['wallClockMs', 'wall_clock_ms'],
  ['callInactivityMs', 'call_inactivity_ms'],
  ['callMaxMs', 'call_max_ms'],
  ['inboxExpiryMs', 'inbox_expiry_ms'],
  ['tokens', 'tokens'],
  ['outputTokens', 'output_tokens'],
  ['costUsd', 'cost_usd'],
] as const;

/** Returns the limits of a request body. */
export function limitsOf(body: Body | undefined): Partial<RunLimits> {
  return Object.fromEntries(
    NAMES.flatMap(([name, field]) => (body?.[field] === undefined ? [] : [[name, body[field]]])),
  );
}

/**
 * Returns all limits of a run in their wire form. A single tool call has no limits of model calls.
 */
export function limitsView({ kind, limits }: Pick<Run, 'kind' | 'limits'>): AllLimits {
  // Limits with a default are always present.
  return givenLimitsView(kind === 'call' ? callLimits(limits) : limits) as AllLimits;
}

function callLimits({
  wallClockMs,
  callInactivityMs,
  callMaxMs,
  inboxExpiryMs,
}: RunLimits): Partial<RunLimits> {
  return { wallClockMs, callInactivityMs, callMaxMs, inboxExpiryMs };
}

/** Returns some limits in their wire form. */
export function givenLimitsView(limits: Partial<RunLimits>): { [Field in keyof Body]: number } {
  return Object.fromEntries(
    NAMES.flatMap(([name, field]) => (limits[name] === undefined ? [] : [[field, limits[name]]])),
  );
}
