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
import { failCall, requireApproval } from '../ledger/call-states.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { openItem } from '../ledger/inbox-items.ts';

type Parts = Uses<'bootId' | 'registry' | 'clock' | 'newId' | 'policyOf' | 'timers'>;

/** What is decided about a call before anybody is asked. */
export type ApprovalDecision = 'auto' | 'remembered' | 'ask' | 'deny';

export interface Candidate {
  readonly run: Run;
  readonly call: Pick<ToolCall, 'id' | 'arguments'>;
  readonly tool: CatalogueTool;
}

/** Decides by the configuration and by what a person said of earlier calls. */
export async function decideCall(
  context: Uses<'policyOf'>,
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
  context: Uses<'bootId' | 'clock' | 'newId' | 'policyOf' | 'timers'>,
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

/** Whether a planned call is sent now. Without a decision to send it, a call waits or has failed; `reason` says why an attempt that was not sent counts. */
export type SendDecision =
  | { readonly type: 'send' }
  | { readonly type: 'held' }
  | { readonly type: 'not-sent'; readonly reason: string };

const SEND: SendDecision = { type: 'send' };
const HELD: SendDecision = { type: 'held' };

/**
 * Checks a planned call again right before it is sent. When its approval no longer matches, or the configuration requires one now, a person is
 * asked again. When the configuration denies it now, the call fails.
 */
export async function decideSend(
  context: Parts,
  change: Change,
  { run, call }: { readonly run: Run; readonly call: ToolCall },
): Promise<SendDecision> {
  const tool = context.registry.find(call.wireName);
  const policy = approvalPolicy(
    context.policyOf(call.server),
    tool ?? { name: call.tool, trusted: false, annotations: {} },
  );
  if (policy === 'auto') return SEND;
  if (policy === 'deny') {
    await failCall(context, change, { call, message: deniedByPolicy(call) });
    return HELD;
  }
  // The approval cannot be compared with a tool that is not offered, and must not count for a tool that appears later.
  if (tool === undefined) return { type: 'not-sent', reason: whyNotOffered(context, call) };
  const binding = bindingOf(context, { callId: call.id, tool, arguments: call.arguments });
  const approval = await lastApproval(change, call);
  const drift =
    approval === undefined
      ? 'by now it needs the approval of a person'
      : driftOf(approval.binding, binding);
  if (drift === undefined || (await isRemembered(change, { run, tool, binding }))) return SEND;
  await askAgain(context, change, { run, call, tool, reason: drift });
  return HELD;
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
  context: Uses<'bootId' | 'clock' | 'newId' | 'policyOf' | 'timers'>,
  change: Change,
  question: ApprovalQuestion & { readonly reason: string },
): Promise<void> {
  const { call, reason } = question;
  if (await requireApproval(change, call, reason)) await askForApproval(context, change, question);
}

function whyNotOffered(
  { registry }: Uses<'registry'>,
  { wireName, server, tool }: ToolCall,
): string {
  return (
    registry.whyNotOffered(wireName) ??
    `the server ${server} does not offer the tool ${tool} at present`
  );
}
