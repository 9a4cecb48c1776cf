import type { Run } from '../../ports/store/run.ts';
import type { Change } from '../core/commits.ts';
import { endRun, finishStopping } from './end-run.ts';
import type { Uses } from '../core/engine-parts.ts';
import { messageText } from '../text/message-text.ts';

/** Settles a run of a single call by the outcome of the call. */
export async function endCallRun(
  context: Uses<'enqueue' | 'bus' | 'clock' | 'newId'>,
  change: Change,
  run: Run,
): Promise<void> {
  const [call] = await change.sql.toolCalls(run.id);
  switch (call?.state) {
    case 'succeeded':
      return endRun(context, change, {
        status: 'completed',
        answer: messageText(call.result?.content ?? []),
      });
    case 'cancelled':
      return finishStopping(context, change, { ...run, statusReason: 'call_cancelled' });
    case 'unknown':
      return endRun(context, change, {
        status: 'failed',
        error: {
          code: 'outcome_unknown',
          message: call.error ?? 'It is not known whether the call took effect.',
        },
      });
    default:
      return endRun(context, change, {
        status: 'failed',
        error: { code: 'tool_failed', message: call?.error ?? 'The call failed.' },
      });
  }
}
