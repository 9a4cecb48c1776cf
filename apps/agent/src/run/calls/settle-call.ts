import type { CallToolResult } from '@signalbox/mcp-core';
import { SENT_CALL_STATES, type ToolCall } from '../../ports/run-store.ts';
import type { CancelLevel, ToolCallOutcome } from '../../ports/tool-registry.ts';
import { keepLongText } from '../results/artifacts.ts';
import { keepBinaries } from '../results/binary-artifacts.ts';
import { cutErrorText } from '../ledger/call-results.ts';
import { cancelCall, failCall, moveCall, succeedCall } from '../ledger/call-states.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { previewOf, type CancelOutcome, type RunEventBody } from '../core/events.ts';
import { voidItems } from '../ledger/inbox-items.ts';
import { MAX_ATTEMPTS, planAgain, settleLostCall } from './lost-call.ts';
import { isParked, RESUME_AFTER_MS, resumeLater } from './parked-calls.ts';

type Parts = Uses<'bootId' | 'enqueue' | 'bus' | 'clock' | 'newId' | 'recovery' | 'timers'>;

/** The delay before a call that was not sent is tried again; it doubles with each attempt. */
const FIRST_RETRY_MS = 500;

export interface CallEnd {
  readonly call: ToolCall;
  readonly outcome: ToolCallOutcome;
  /** The last progress, not stored before. */
  readonly progress: RunEventBody | undefined;
}

/** Stores how an attempt ended. An end that comes when the call has moved on, to another attempt or another end, changes nothing. */
export async function settleCall(
  context: Parts,
  change: Change,
  { call: dispatched, outcome: ended, progress }: CallEnd,
): Promise<void> {
  const outcome = 'message' in ended ? { ...ended, message: cutErrorText(ended.message) } : ended;
  const call = await change.sql.toolCall(dispatched.id);
  if (call?.attempt !== dispatched.attempt || !SENT_CALL_STATES.includes(call.state)) return;
  if (progress !== undefined) change.emit(progress);
  const isEnding =
    (await change.sql.runCore(change.runId))?.status === 'cancelling' ||
    call.cancelRequestedAt !== undefined;
  if (!isEnding && isParked(call) && isInterruption(outcome))
    return resumeLater(context, change, { call, delayMs: RESUME_AFTER_MS });
  await voidItems(context, change, { reason: 'call_ended', callId: call.id });
  switch (outcome.type) {
    case 'result':
      await storeResult(context, change, {
        call,
        result: await keepLongText(context, change, {
          call,
          result: await keepBinaries(context, change, { call, result: outcome.result }),
        }),
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
          outcome: farEnd(call, 'failed'),
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
        outcome: farEnd(call, outcome.level),
      });
  }
}

/** Whether the connection, not the call, ended: a parked call then goes on over the next one. */
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

/** Counts an attempt of a planned call that could not begin, and ends or retries the call as one that was not sent. */
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
  if (call.attempt < MAX_ATTEMPTS)
    await planAgain(context, change, {
      call,
      reason: 'not_sent',
      message,
      delayMs: FIRST_RETRY_MS * 2 ** (call.attempt - 1),
    });
  else
    await failCall(context, change, {
      call,
      message,
      text: `The call could not be sent: ${message}`,
    });
}

function farEnd(call: ToolCall, level: CancelLevel): CancelOutcome {
  if (level === 'confirmed') return 'stopped';
  return call.repeatable ? 'harmless' : 'unknown';
}
