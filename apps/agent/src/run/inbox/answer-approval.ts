import type { ApprovalBinding } from '../../ports/store/approval.ts';
import type { InboxItem } from '../../ports/store/inbox.ts';
import type { ToolCall, ToolCallPatch } from '../../ports/store/tool-call.ts';
import { digestOf } from '../../json/digest.ts';
import { approveCall, failCall } from '../ledger/call-states.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { noteOf, type InboxResponse } from './check-response.ts';

export interface ApprovalAnswer {
  readonly item: InboxItem;
  readonly call: ToolCall;
  readonly response: InboxResponse;
}

/** Releases the call, possibly with changed arguments, or fails it. */
export async function answerApproval(
  context: Uses<'enqueue' | 'clock' | 'newId'>,
  change: Change,
  answer: ApprovalAnswer,
): Promise<void> {
  const { item, call, response } = answer;
  if (call.state !== 'awaiting_approval') return;
  if (response.action === 'deny') {
    const text = `A person denied this call; it was not made.${noteOf(response)} Do not send it again unless the user asks for it.`;
    await failCall(context, change, { call, message: 'A person denied this call.', text });
    return;
  }
  const edited = editedArguments(answer);
  // Server and tool stay as shown to the person.
  const binding =
    item.binding === undefined || edited === undefined
      ? item.binding
      : { ...item.binding, arguments: digestOf(edited) };
  const remembered = await remember(context, change, answer, binding);
  const shown =
    remembered === undefined
      ? item.response
      : { ...item.response, remembered_approval_id: remembered };
  await change.sql.updateInboxItem(item.id, 'answered', { binding, response: shown });
  const { remember: scope = 'call' } = response;
  await approveCall(change, call, {
    edit: edited === undefined ? {} : editOf(context, call, edited),
    remember: scope,
    remembered_approval_id: remembered,
  });
  change.afterCommit(() => context.enqueue({ type: 'call-tool', callId: call.id }));
}

/** Returns the person's arguments when they differ from the shown ones. */
function editedArguments({ call, response }: ApprovalAnswer): ToolCall['arguments'] | undefined {
  return response.arguments !== undefined &&
    digestOf(response.arguments) !== digestOf(call.arguments)
    ? response.arguments
    : undefined;
}

/**
 * Returns the patch for changed arguments. A call that was sent before gets a new idempotency key,
 * because it is a different call for its server.
 */
function editOf(
  { newId }: Uses<'newId'>,
  call: ToolCall,
  edited: ToolCall['arguments'],
): Pick<ToolCallPatch, 'arguments' | 'modelArguments' | 'idempotencyKey'> {
  return {
    arguments: edited,
    modelArguments: call.modelArguments ?? call.arguments,
    ...(call.attempt === 0 ? {} : { idempotencyKey: newId() }),
  };
}

/** Remembers the approval for further calls. Returns the id of the stored approval. */
async function remember(
  { newId, clock }: Uses<'clock' | 'newId'>,
  { sql, runId }: Change,
  { item, call, response }: ApprovalAnswer,
  binding: ApprovalBinding | undefined,
): Promise<string | undefined> {
  if (response.remember === undefined || response.remember === 'call' || binding === undefined)
    return undefined;
  const run = await sql.runCore(runId);
  const id = newId();
  await sql.rememberApproval({
    id,
    runId,
    threadId: response.remember === 'thread' ? run?.threadId : undefined,
    itemId: item.id,
    server: call.server,
    tool: call.tool,
    serverDigest: binding.server,
    toolDigest: binding.tool,
    createdAt: clock.now(),
  });
  return id;
}
