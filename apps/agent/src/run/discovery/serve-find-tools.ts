import type { ToolCall } from '../../ports/run-store.ts';
import type { CatalogueTool } from '../../ports/tool-registry.ts';
import { failCall, succeedCall } from '../ledger/call-states.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { findTools } from './find-tools.ts';

export interface ToolSearch {
  readonly call: ToolCall;
  readonly offered: readonly CatalogueTool[];
  /** Why the arguments cannot be used. */
  readonly invalid: string | undefined;
}

/** Serves a planned call of the tool at once: nothing leaves the service, and nobody needs to approve it. */
export async function serveFindTools(
  context: Uses<'clock'>,
  change: Change,
  { call, offered, invalid }: ToolSearch,
): Promise<void> {
  const result = invalid ?? (await findTools(call.arguments, offered));
  if (typeof result === 'string') await failCall(context, change, { call, message: result });
  else await succeedCall(context, change, { call, result });
}
