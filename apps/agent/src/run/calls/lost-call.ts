import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { Change } from '../core/commits.ts';
import { hasTimeLeft } from './call-time.ts';
import { failCall, loseCall, retryCall } from '../ledger/call-states.ts';
import type { Uses, RecoveryDecision } from '../core/engine-parts.ts';
import type { RunEventTypes } from '../core/events.ts';
import { openItem } from '../ledger/inbox-items.ts';

type Parts = Uses<'workerId' | 'enqueue' | 'clock' | 'newId' | 'recovery' | 'sweep'>;

/** Attempts after which a call is not retried automatically. */
export const MAX_ATTEMPTS = 4;

/**
 * Retries a lost call only when it is repeatable; otherwise a person decides about its unknown
 * outcome.
 */
export const defaultRecovery: RecoveryDecision = (call) => (call.repeatable ? 'retry' : 'ask');

export interface Loss {
  readonly call: ToolCall;
  readonly reason: 'connection_lost' | 'process_ended';
  readonly message: string;
}

/** Retries or ends a sent call whose result can no longer arrive. */
export async function settleLostCall(
  context: Parts,
  change: Change,
  { call, reason, message }: Loss,
): Promise<void> {
  const isEnding = (await change.sql.runCore(change.runId))?.status === 'cancelling';
  if (!isEnding && context.recovery(call) === 'retry') {
    const isOverTime = reason === 'connection_lost' && !(await hasTimeLeft(context, change, call));
    if (call.attempt < MAX_ATTEMPTS && !isOverTime)
      await planAgain(context, change, { call, reason, message, delayMs: 0 });
    else if (isOverTime) await failCall(context, change, { call, message: overTime(message) });
    else
      await failCall(context, change, {
        call,
        message: `The answer of attempt ${call.attempt}, which was the last one, was lost: ${message}`,
      });
    return;
  }
  if (!(await loseCall(context, change, { call, message })) || isEnding) return;
  const request = { message, arguments: call.arguments, attempt: call.attempt };
  await openItem(context, change, {
    id: context.newId(),
    kind: 'outcome_unknown',
    call,
    request,
    isHeldHere: false,
  });
}

/** Returns the reason of a failed call of which no time is left for another attempt. */
export function overTime(message: string): string {
  return `${message}. The call is not sent again: it has used up limits.call_max_ms of the run.`;
}

export interface NextAttempt {
  readonly call: ToolCall;
  readonly reason: RunEventTypes['tool_call.retrying']['reason'];
  readonly message: string | undefined;
  readonly delayMs: number;
}

/**
 * Plans the call again, under the same idempotency key. Does nothing when the call has changed
 * since it was read.
 */
export async function planAgain(
  context: Uses<'enqueue' | 'clock'>,
  change: Change,
  { call, reason, message, delayMs }: NextAttempt,
): Promise<void> {
  if (await retryCall(context, change, call, { reason, message, delay_ms: delayMs }))
    change.afterCommit(() => context.enqueue({ type: 'call-tool', callId: call.id }, { delayMs }));
}
