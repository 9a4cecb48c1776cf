import type {
  ApprovalBinding,
  InboxItem,
  RememberedApproval,
  Run,
  ToolCall,
} from '../../ports/run-store.ts';
import type { CatalogueTool } from '../../ports/tool-registry.ts';
import { bindingOf, driftOf } from './binding.ts';
import { approvalPolicy } from './policy.ts';
import { failCall } from '../ledger/call-results.ts';
import type { Change } from '../ledger/commits.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { openItem } from '../ledger/inbox-items.ts';
import { reconcile } from '../lifecycle/reconcile.ts';
import { settleCall } from '../calls/settle-call.ts';

/** What is decided about a call before anybody is asked. */
export type ApprovalDecision = 'auto' | 'remembered' | 'ask' | 'deny';

export interface Candidate {
  readonly run: Run;
  readonly call: Pick<ToolCall, 'id' | 'arguments'>;
  readonly tool: CatalogueTool;
}

/** Decides by the configuration and by what a person said of earlier calls. */
export async function decideCall(
  context: EngineContext,
  change: Change,
  { run, call, tool }: Candidate,
): Promise<ApprovalDecision> {
  const policy = approvalPolicy(context.policyOf(tool.server), tool);
  if (policy !== 'ask') return policy;
  const binding = bindingOf(context, { callId: call.id, tool, arguments: call.arguments });
  return (await isRemembered(change, { run, tool, binding })) ? 'remembered' : 'ask';
}

export interface ApprovalQuestion {
  readonly run: Run;
  readonly call: ToolCall;
  readonly tool: CatalogueTool;
  /** Why it is asked about again. */
  readonly reason?: string;
}

/** Puts a call that waits for it before a person. */
export async function askForApproval(
  context: EngineContext,
  change: Change,
  { run, call, tool, reason }: ApprovalQuestion,
): Promise<void> {
  const { description, annotations, trusted } = tool;
  const request = {
    arguments: call.arguments,
    model_arguments: call.modelArguments,
    description,
    annotations,
    trusted,
    remember: rememberableScopes(run),
    reason,
  };
  const binding = bindingOf(context, { callId: call.id, tool, arguments: call.arguments });
  await openItem(context, change, {
    id: context.newId(),
    kind: 'tool_approval',
    call,
    request,
    binding,
    isHeldHere: false,
  });
}

/** How far an answer may reach in this run. */
function rememberableScopes(run: Run): readonly ('call' | 'run' | 'thread')[] {
  return run.threadId === undefined ? ['call', 'run'] : ['call', 'run', 'thread'];
}

/**
 * Whether a planned call may be sent as things are now. Where the approval is for something else by now, or the configuration asks by now, a person is
 * asked again; what the configuration forbids by now fails.
 */
export async function maySend(
  context: EngineContext,
  change: Change,
  { run, call }: { readonly run: Run; readonly call: ToolCall },
): Promise<boolean> {
  const tool = context.registry.find(call.wireName);
  const policy = approvalPolicy(
    context.policyOf(call.server),
    tool ?? { name: call.tool, trusted: false, annotations: {} },
  );
  if (policy === 'auto') return true;
  if (policy === 'deny') {
    await failCall(context, change, { call, message: deniedByPolicy(call) });
    await reconcile(context, change);
    return false;
  }
  if (tool === undefined) {
    await failToSend(context, change, call);
    return false;
  }
  const binding = bindingOf(context, { callId: call.id, tool, arguments: call.arguments });
  const approval = await lastApproval(change, call);
  const drift =
    approval === undefined
      ? 'by now it needs the approval of a person'
      : driftOf(approval.binding, binding);
  if (drift === undefined || (await isRemembered(change, { run, tool, binding }))) return true;
  await askAgain(context, change, { run, call, tool, reason: drift });
  return false;
}

/** Why a call is refused by the configuration. */
export function deniedByPolicy({ server, tool }: Pick<ToolCall, 'server' | 'tool'>): string {
  return `The configuration of this service does not allow calls of the tool ${tool} of ${server}.`;
}

async function isRemembered(
  { sql }: Change,
  {
    run,
    tool,
    binding,
  }: { readonly run: Run; readonly tool: CatalogueTool; readonly binding: ApprovalBinding },
): Promise<boolean> {
  const remembered = await sql.rememberedApprovals({ runId: run.id, threadId: run.threadId });
  return remembered.some((approval) => fits(approval, tool, binding));
}

function fits(
  approval: RememberedApproval,
  { server, name }: CatalogueTool,
  binding: ApprovalBinding,
): boolean {
  return (
    approval.server === server &&
    approval.tool === name &&
    approval.serverDigest === binding.server &&
    approval.toolDigest === binding.tool
  );
}

async function lastApproval({ sql }: Change, call: ToolCall): Promise<InboxItem | undefined> {
  const items = await sql.inboxItems({ callId: call.id, state: 'delivered' });
  return items.findLast(
    ({ kind, response }) => kind === 'tool_approval' && response?.['action'] === 'approve',
  );
}

async function askAgain(
  context: EngineContext,
  change: Change,
  question: ApprovalQuestion & { readonly reason: string },
): Promise<void> {
  const { call, reason } = question;
  if (
    !(await change.sql.updateToolCall(
      call.id,
      { state: ['planned'], attempt: call.attempt },
      { state: 'awaiting_approval' },
    ))
  )
    return;
  change.emit({
    type: 'tool_call.approval_required',
    data: { call_id: call.id, attempt: call.attempt, reason },
  });
  await askForApproval(context, change, question);
  await reconcile(context, change);
}

/** What was approved cannot be compared with a tool that is not there, and must not be sent to one that appears meanwhile. */
async function failToSend(context: EngineContext, change: Change, call: ToolCall): Promise<void> {
  const patch = {
    state: 'dispatched',
    attempt: call.attempt + 1,
    owner: context.store.bootId,
  } as const;
  if (
    !(await change.sql.updateToolCall(
      call.id,
      { state: ['planned'], attempt: call.attempt },
      patch,
    ))
  )
    return;
  const message =
    context.registry.whyNotOffered(call.wireName) ??
    `the server ${call.server} does not offer the tool ${call.tool} at present`;
  await settleCall(context, change, {
    call: { ...call, ...patch },
    outcome: { type: 'not-sent', message },
    progress: undefined,
  });
}
