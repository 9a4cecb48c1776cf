import type { CallToolResult } from '@signalbox/mcp-core';
import { SENT_CALL_STATES, type ToolCall } from '../../ports/store/tool-call.ts';
import type { CancelLevel, ToolCallOutcome } from '../../ports/tool-dispatcher.ts';
import { storeResultParts } from '../results/store-result.ts';
import { cutErrorText } from '../ledger/call-results.ts';
import { isOurs, cancelCall, failCall, moveCall, succeedCall } from '../ledger/call-states.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { previewOf, type CancelOutcome, type RunEventBody } from '../core/events.ts';
import { voidableItems, voidEach } from '../ledger/inbox-items.ts';
import { hasTimeLeft } from './call-time.ts';
import { awaitLogin } from './await-login.ts';
import { MAX_ATTEMPTS, overTime, planAgain, settleLostCall } from './lost-call.ts';
import { isParked, RESUME_AFTER_MS, resumeLater } from './parked-calls.ts';

type Parts = Uses<'workerId' | 'enqueue' | 'bus' | 'clock' | 'newId' | 'recovery' | 'sweep'>;

/** Delay before an unsent call is retried, in milliseconds; it doubles with each attempt. */
const FIRST_RETRY_MS = 500;

export interface CallEnd {
  readonly call: ToolCall;
  readonly outcome: ToolCallOutcome;
  /** Last progress, not stored yet. */
  readonly progress: RunEventBody | undefined;
}

/**
 * Stores the outcome of an attempt. An outcome of an older attempt, or of a call that has ended,
 * changes nothing.
 */
export async function settleCall(
  context: Parts,
  change: Change,
  { call: dispatched, outcome: ended, progress }: CallEnd,
): Promise<void> {
  const outcome = 'message' in ended ? { ...ended, message: cutErrorText(ended.message) } : ended;
  const [call, items] = await Promise.all([
    change.sql.toolCall(dispatched.id),
    voidableItems(change, dispatched.id),
  ]);
  if (!isOurs(context, dispatched, call) || !SENT_CALL_STATES.includes(call.state)) return;
  if (progress !== undefined) change.emit(progress);
  const isEnding =
    (await change.sql.runStatus(change.runId)) === 'cancelling' ||
    call.cancelRequestedAt !== undefined;
  const login = outcome.type === 'not-sent' ? outcome.login : undefined;
  if (!isEnding && isParked(call) && login === undefined && isInterruption(outcome))
    return resumeLater(context, change, { call, delayMs: RESUME_AFTER_MS });
  if (!isEnding && outcome.type === 'not-sent' && login !== undefined)
    return awaitLogin(context, change, { call, login, message: outcome.message });
  await voidEach(context, change, { reason: 'call_ended', items });
  switch (outcome.type) {
    case 'result':
      await storeResult(context, change, {
        call,
        result: await storeResultParts(context, change, { call, result: outcome.result }),
      });
      break;
    case 'error':
      await failCall(context, change, { call, message: outcome.message });
      break;
    case 'not-sent':
      if (isEnding)
        await cancelCall(context, change, { call, level: undefined, outcome: 'not_sent' });
      else await retryOrFail(context, change, { call, message: outcome.message });
      break;
    case 'lost':
      if (call.cancelRequestedAt !== undefined)
        await cancelCall(context, change, {
          call,
          level: 'failed',
          outcome: effectOfCancel(call, 'failed'),
        });
      else
        await settleLostCall(context, change, {
          call,
          reason: 'connection_lost',
          message: outcome.message,
        });
      break;
    case 'cancelled':
      await cancelCall(context, change, {
        call,
        level: outcome.level,
        outcome: effectOfCancel(call, outcome.level),
      });
  }
}

/** Whether only the connection ended; a parked call then continues over the next connection. */
function isInterruption(outcome: ToolCallOutcome): boolean {
  return outcome.type === 'not-sent' || (outcome.type === 'lost' && outcome.isForgotten !== true);
}

async function storeResult(
  context: Uses<'clock'>,
  change: Change,
  { call, result }: { readonly call: ToolCall; readonly result: CallToolResult },
): Promise<void> {
  if (result.isError !== true) {
    await succeedCall(context, change, { call, result });
    return;
  }
  const message = previewOf(result).text || 'The tool reported an error without a text.';
  await failCall(context, change, { call, message, result });
}

/** Counts an attempt of a planned call that could not begin, and retries or fails the call. */
export async function skipAttempt(
  context: Uses<'enqueue' | 'clock'>,
  change: Change,
  { call, message }: { readonly call: ToolCall; readonly message: string },
): Promise<void> {
  const attempt = call.attempt + 1;
  if (await moveCall(change.sql, call, { transition: 'skipAttempt', attempt }))
    await retryOrFail(context, change, { call: { ...call, attempt }, message });
}

async function retryOrFail(
  context: Uses<'enqueue' | 'clock'>,
  change: Change,
  { call, message }: { readonly call: ToolCall; readonly message: string },
): Promise<void> {
  if (!(await hasTimeLeft(context, change, call)))
    await failCall(context, change, {
      call,
      message: overTime(message),
      text: textOfUnsent(call, overTime(message)),
    });
  else if (call.attempt < MAX_ATTEMPTS)
    await planAgain(context, change, {
      call,
      reason: 'not_sent',
      message,
      delayMs: FIRST_RETRY_MS * 2 ** (call.attempt - 1),
    });
  else await failCall(context, change, { call, message, text: textOfUnsent(call, message) });
}

/** Returns what the model reads about a call whose last attempt could not be sent. */
function textOfUnsent({ error: loss }: ToolCall, message: string): string {
  return loss === undefined
    ? `The call could not be sent: ${message}`
    : `The call was sent, its answer was lost (${loss}), and it may have taken effect. It could not be sent again: ${message}`;
}

function effectOfCancel(call: ToolCall, level: CancelLevel): CancelOutcome {
  if (level === 'confirmed') return 'stopped';
  return call.repeatable ? 'harmless' : 'unknown';
}
