import type { ApprovalBinding, RememberedApproval } from '../../ports/store/approval.ts';
import type { InboxItem } from '../../ports/store/inbox.ts';
import type { RunCore } from '../../ports/store/run.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import { bindingOf, driftOf } from './binding.ts';
import { approvalPolicy, rulesPolicy, stricter } from './policy.ts';
import { failCall, requireApproval } from '../ledger/call-states.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { isOffered } from '../core/tool-rules.ts';
import { openItem } from '../ledger/inbox-items.ts';

type Parts = Uses<'workerId' | 'dispatcher' | 'clock' | 'newId' | 'policyOf' | 'sweep'>;

/** Decision about a planned call by the configuration and by remembered approvals. */
export type ApprovalDecision = 'auto' | 'remembered' | 'ask' | 'deny';

export interface Candidate {
  readonly run: RunCore;
  readonly call: Pick<ToolCall, 'id' | 'arguments'>;
  readonly tool: CatalogueTool;
}

/**
 * Decides whether a call needs approval, by the configuration, the rules of the run and remembered
 * approvals.
 */
export async function decideCall(
  context: Uses<'policyOf'>,
  change: Change,
  { run, call, tool }: Candidate,
): Promise<ApprovalDecision> {
  const policy = stricter(
    approvalPolicy(context.policyOf(tool.server), tool),
    rulesPolicy(run.toolRules, tool.wireName),
  );
  if (policy !== 'ask') return policy;
  const binding = bindingOf(context, { callId: call.id, tool, arguments: call.arguments });
  return (await isRemembered(change, { run, tool, binding })) ? 'remembered' : 'ask';
}

export interface ApprovalRequest {
  readonly run: RunCore;
  readonly call: ToolCall;
  readonly tool: CatalogueTool;
  /** Reason why approval is required again. */
  readonly reason?: string;
}

/** Opens the inbox item of a call that waits for approval. */
export async function askForApproval(
  context: Uses<'workerId' | 'clock' | 'newId' | 'policyOf' | 'sweep'>,
  change: Change,
  { run, call, tool, reason }: ApprovalRequest,
): Promise<void> {
  const { description, annotations, trusted } = tool;
  const request = {
    arguments: call.arguments,
    model_arguments: call.modelArguments,
    description,
    annotations,
    trusted,
    required_by: requiredBy(context, tool),
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

/** Returns whether the configuration requires the approval of a call, or only a rule of the run. */
function requiredBy(context: Uses<'policyOf'>, tool: CatalogueTool): 'configuration' | 'run' {
  return approvalPolicy(context.policyOf(tool.server), tool) === 'auto' ? 'run' : 'configuration';
}

/** Scopes for which an approval can be remembered in this run. */
function rememberableScopes(run: RunCore): readonly ('call' | 'run' | 'thread')[] {
  return run.threadId === undefined ? ['call', 'run'] : ['call', 'run', 'thread'];
}

/**
 * Result of the last check before a call is sent. A `held` call waits for approval or has failed. A
 * `not-sent` call uses up an attempt.
 */
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
  { run, call }: { readonly run: RunCore; readonly call: ToolCall },
): Promise<SendDecision> {
  const tool = context.dispatcher.find(call.wireName);
  const configured = approvalPolicy(
    context.policyOf(call.server),
    tool ?? { name: call.tool, trusted: false, annotations: {} },
  );
  const policy = stricter(configured, rulesPolicy(run.toolRules, call.wireName));
  if (policy === 'auto') return SEND;
  if (policy === 'deny') {
    await failCall(context, change, { call, message: denialOf(run, call) });
    return HELD;
  }
  // The approval cannot be compared with a tool that is not offered, and must not count for a tool that appears later.
  if (tool === undefined) return { type: 'not-sent', reason: whyNotOffered(context, call) };
  const binding = bindingOf(context, { callId: call.id, tool, arguments: call.arguments });
  const approval = await lastApproval(change, call);
  const drift =
    approval === undefined
      ? 'the policy changed, and the call now needs an approval'
      : driftOf(approval.binding, binding);
  if (drift === undefined || (await isRemembered(change, { run, tool, binding }))) return SEND;
  await askAgain(context, change, { run, call, tool, reason: drift });
  return HELD;
}

/** Returns the error text of a call that the rules of its run, or else the configuration, deny. */
export function denialOf(
  { toolRules }: Pick<RunCore, 'toolRules'>,
  { wireName, server, tool }: Pick<ToolCall, 'wireName' | 'server' | 'tool'>,
): string {
  if (!isOffered(toolRules, wireName)) return outsideRules(wireName);
  return rulesPolicy(toolRules, wireName) === 'deny'
    ? `The approval rules of this run do not allow calls of ${wireName}.`
    : `The configuration of this service does not allow calls of the tool ${tool} of ${server}.`;
}

/** Returns the error text of a call of a tool that the rules of its run do not offer. */
export function outsideRules(wireName: string): string {
  return `The tool ${wireName} is not one of the tools of this run. Use another tool, or tell the user that this one is needed.`;
}

async function isRemembered(
  { sql }: Change,
  {
    run,
    tool,
    binding,
  }: { readonly run: RunCore; readonly tool: CatalogueTool; readonly binding: ApprovalBinding },
): Promise<boolean> {
  const remembered = await sql.rememberedApprovals({ runId: run.id, threadId: run.threadId });
  return remembered.some((approval) => isApprovalOf(approval, tool, binding));
}

function isApprovalOf(
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
  context: Uses<'workerId' | 'clock' | 'newId' | 'policyOf' | 'sweep'>,
  change: Change,
  request: ApprovalRequest & { readonly reason: string },
): Promise<void> {
  const { call, reason } = request;
  if (await requireApproval(change, call, reason)) await askForApproval(context, change, request);
}

function whyNotOffered(
  { dispatcher }: Uses<'dispatcher'>,
  { wireName, server, tool }: ToolCall,
): string {
  return (
    dispatcher.whyNotOffered(wireName) ??
    `the server ${server} does not offer the tool ${tool} at present`
  );
}
