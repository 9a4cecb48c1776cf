import type { ToolCall } from '../../ports/store/tool-call.ts';
import { failCall, succeedCall } from '../ledger/call-states.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { noteOf, type InboxResponse } from './check-response.ts';
import { planAgain } from '../calls/lost-call.ts';

export interface OutcomeAnswer {
  readonly call: ToolCall;
  readonly response: InboxResponse;
}

/** Settles a call with an unknown outcome as the person decided, or retries it. */
export async function answerOutcome(
  context: Uses<'enqueue' | 'clock'>,
  change: Change,
  { call, response }: OutcomeAnswer,
): Promise<void> {
  if (call.state !== 'unknown') return;
  switch (response.action) {
    case 'retry':
      await planAgain(context, change, {
        call,
        reason: 'requested',
        message: response.note,
        delayMs: 0,
      });
      return;
    case 'mark_done':
      await markDone(context, change, { call, response });
      return;
    default: {
      const text = `The answer of this call was lost, and a person settled it as failed.${noteOf(response)}`;
      await failCall(context, change, {
        call,
        message: 'A person settled the call as failed.',
        text,
      });
    }
  }
}

async function markDone(
  context: Uses<'clock'>,
  change: Change,
  { call, response }: OutcomeAnswer,
): Promise<void> {
  const text = `The answer of this call was lost; a person looked and marked it as done.${noteOf(response)}`;
  await succeedCall(context, change, { call, result: { content: [{ type: 'text', text }] } });
}
