import type { Block } from '../../ports/llm-provider.ts';
import type { Run } from '../../ports/store/run.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import {
  askForApproval,
  decideCall,
  denialOf,
  outsideRules,
  type ApprovalDecision,
} from '../approvals/approvals.ts';
import { serveArtifactRead } from '../results/artifact-read.ts';
import { ARTIFACT_READ } from '../results/artifacts.ts';
import { failCall, planCall } from '../ledger/call-states.ts';
import type { Change } from '../core/commits.ts';
import { CALL_TOOL, FIND_TOOLS } from '../discovery/find-tools.ts';
import { unwrapCallTool } from '../discovery/unwrap-call-tool.ts';
import { serveFindTools } from '../discovery/serve-find-tools.ts';
import type { Uses } from '../core/engine-parts.ts';
import { isOffered, toolsOf } from '../core/tool-rules.ts';
import { closestNames } from '../text/closest-names.ts';

type Parts = Uses<'workerId' | 'enqueue' | 'clock' | 'newId' | 'policyOf' | 'sweep'>;

export type ToolUse = Extract<Block, { type: 'tool_use' }>;

export interface Plan {
  readonly run: Run;
  readonly turn: number;
  readonly toolUses: readonly ToolUse[];
  readonly offer: Offer;
  /** Whether the offered tools are stored as those of the run; a single tool call stores none. */
  readonly isRecorded: boolean;
  /** Receives each call that needs no approval after the commit, before its job is enqueued. */
  readonly onPlanned?: (call: ToolCall) => void;
}

/** The tools at one moment: a server can become ready while a transaction waits. */
export interface Offer {
  /** Tools that the run may call. */
  readonly tools: readonly CatalogueTool[];
  /** Reasons why tools of the message are not among them, as far as they are known. */
  readonly reasons: ReadonlyMap<string, string | undefined>;
}

/** Returns the tools that a run is offered now. */
export function offerOf(
  context: Uses<'dispatcher'>,
  run: Pick<Run, 'servers' | 'toolRules'>,
  toolUses: readonly ToolUse[],
): Offer {
  const names = toolUses.map((toolUse) => unwrapCallTool(toolUse).name);
  return {
    tools: toolsOf(context, run),
    reasons: new Map(names.map((name) => [name, context.dispatcher.whyNotOffered(name)])),
  };
}

/**
 * Stores the tool calls of a turn and enqueues those that need no approval. A call that can never
 * be sent fails with a text for the model.
 */
export async function planCalls(
  context: Parts,
  change: Change,
  { run, turn, toolUses, offer: { tools: offered, reasons }, isRecorded, onPlanned }: Plan,
): Promise<void> {
  if (!isRecorded)
    await change.sql.insertCatalogue(run.id, { turn, point: 'plan', tools: offered });
  for (const [position, toolUse] of toolUses.map(unwrapCallTool).entries()) {
    const tool = mayCallTools(run)
      ? offered.find((candidate) => candidate.wireName === toolUse.name)
      : undefined;
    const { call, decision } = await insertCall(context, change, {
      run,
      turn,
      position,
      toolUse,
      tool,
    });
    if (!mayCallTools(run)) {
      await failCall(context, change, { call, message: NO_CALLS });
      continue;
    }
    if (toolUse.name === ARTIFACT_READ) {
      await serveArtifactRead(context, change, { run, call, invalid: toolUse.invalid });
      continue;
    }
    if (toolUse.name === FIND_TOOLS) {
      await serveFindTools(context, change, { call, offered, invalid: toolUse.invalid });
      continue;
    }
    const refusal =
      refusalOf(toolUse, { run, tool, offered, reason: reasons.get(toolUse.name) }) ??
      (decision === 'deny' ? denialOf(run, call) : undefined);
    if (refusal !== undefined) {
      await failCall(context, change, { call, message: refusal });
    } else if (tool !== undefined && decision === 'ask') {
      await askForApproval(context, change, { run, call, tool });
    } else {
      change.goesOn();
      change.afterCommit(() => {
        onPlanned?.(call);
        context.enqueue({ type: 'call-tool', callId: call.id });
      });
    }
  }
}

const NO_CALLS =
  'This call was not made: the tool_choice of this run is none. Answer without calling a tool.';

/** Whether the run may call tools. Some servers of models ignore the setting. */
function mayCallTools({ modelSettings }: Pick<Run, 'modelSettings'>): boolean {
  return modelSettings?.toolChoice !== 'none';
}

interface Planned {
  readonly run: Run;
  readonly turn: number;
  readonly position: number;
  readonly toolUse: ToolUse;
  readonly tool: CatalogueTool | undefined;
}

interface Inserted {
  readonly call: ToolCall;
  /** Undefined for a call that cannot be made. */
  readonly decision: ApprovalDecision | undefined;
}

async function insertCall(
  context: Uses<'clock' | 'newId' | 'policyOf'>,
  change: Change,
  { run, turn, position, toolUse, tool }: Planned,
): Promise<Inserted> {
  const id = context.newId();
  const isUsable = tool !== undefined && toolUse.invalid === undefined;
  const decision = isUsable
    ? await decideCall(context, change, { run, tool, call: { id, arguments: toolUse.input } })
    : undefined;
  const state = decision === 'ask' ? ('awaiting_approval' as const) : ('planned' as const);
  const call = {
    id,
    runId: run.id,
    turn,
    position,
    toolUseId: toolUse.id,
    wireName: toolUse.name,
    server: tool?.server ?? '',
    tool: tool?.name ?? toolUse.name,
    arguments: toolUse.input,
    modelArguments: undefined,
    state,
    attempt: 0,
    owner: undefined,
    idempotencyKey: context.newId(),
    repeatable: tool !== undefined && isRepeatable(tool),
    result: undefined,
    error: undefined,
    cancel: undefined,
    cancelRequestedAt: undefined,
    failures: 0,
    parked: undefined,
    taskId: undefined,
    dueAt: undefined,
    createdAt: context.clock.now(),
    sentAt: undefined,
    finishedAt: undefined,
  } satisfies ToolCall;
  await planCall(change, call, { server: tool?.server, decision });
  return { call, decision };
}

function refusalOf(
  toolUse: ToolUse,
  {
    run,
    tool,
    offered,
    reason,
  }: {
    readonly run: Run;
    readonly offered: readonly CatalogueTool[];
    readonly tool: CatalogueTool | undefined;
    /** Reason why the tool is not offered, if it is known. */
    readonly reason: string | undefined;
  },
): string | undefined {
  if (toolUse.isCut === true)
    return `This call of ${toolUse.name} was not made: your message reached its limit of output tokens before the arguments were complete. Do not send the same again. Do it in several calls with shorter arguments.`;
  if (toolUse.name === CALL_TOOL)
    return `This call of ${CALL_TOOL} cannot be used: ${toolUse.invalid ?? 'it calls itself.'} Send it with the name of a tool and its arguments.`;
  // Names of our own tools are not wire names.
  if (toolUse.name.includes('__') && !isOffered(run.toolRules, toolUse.name))
    return outsideRules(toolUse.name);
  if (tool === undefined) {
    const near = closestNames(
      toolUse.name,
      offered.map((candidate) => candidate.wireName),
    );
    return `There is no tool named ${toolUse.name}${reason === undefined ? '' : ` at present: ${reason}`}.${near.length === 0 ? '' : ` Close names: ${near.join(', ')}.`}`;
  }
  if (toolUse.invalid !== undefined)
    return `The arguments of this call cannot be used: ${toolUse.invalid} Send it again with one JSON object that fits the schema of ${tool.wireName}.`;
  return undefined;
}

/**
 * Whether a call may be sent twice. Hints count only from a trusted server; a tool is destructive
 * unless it says otherwise.
 */
function isRepeatable({ trusted, annotations }: CatalogueTool): boolean {
  return (
    trusted &&
    (annotations.readOnlyHint === true ||
      (annotations.idempotentHint === true && annotations.destructiveHint === false))
  );
}
