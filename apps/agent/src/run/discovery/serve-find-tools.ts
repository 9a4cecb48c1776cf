import type { ToolCall } from '../../ports/run-store.ts';
import type { CatalogueTool } from '../../ports/tool-registry.ts';
import { failCall } from '../ledger/call-results.ts';
import type { Change } from '../ledger/commits.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { previewOf } from '../ledger/events.ts';
import { findTools } from './find-tools.ts';

export interface ToolSearch {
  readonly call: ToolCall;
  readonly offered: readonly CatalogueTool[];
  /** Why the arguments cannot be used. */
  readonly invalid: string | undefined;
}

/** Serves a planned call of the tool at once: nothing leaves the service, and nobody needs to approve it. */
export async function serveFindTools(
  context: EngineContext,
  change: Change,
  { call, offered, invalid }: ToolSearch,
): Promise<void> {
  const result = invalid ?? (await findTools(call.arguments, offered));
  if (typeof result === 'string') return failCall(context, change, { call, message: result });
  const patch = { state: 'succeeded', result, finishedAt: context.clock.now() } as const;
  if (
    !(await change.sql.updateToolCall(
      call.id,
      { state: ['planned'], attempt: call.attempt },
      patch,
    ))
  )
    return;
  change.emit({
    type: 'tool_call.completed',
    data: { call_id: call.id, attempt: call.attempt, result: previewOf(result) },
  });
}
