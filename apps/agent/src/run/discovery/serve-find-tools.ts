import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import { failCall, succeedCall } from '../ledger/call-states.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { findTools } from './find-tools.ts';

export interface ToolSearch {
  readonly call: ToolCall;
  readonly offered: readonly CatalogueTool[];
  /** Reason why the arguments cannot be used. */
  readonly invalid: string | undefined;
}

/**
 * Settles a planned call of `find_tools` at once. Nothing leaves the service, so no approval is
 * needed.
 */
export async function serveFindTools(
  context: Uses<'clock'>,
  change: Change,
  { call, offered, invalid }: ToolSearch,
): Promise<void> {
  const result = invalid ?? (await findTools(call.arguments, offered));
  if (typeof result === 'string') await failCall(context, change, { call, message: result });
  else await succeedCall(context, change, { call, result });
}
