import type { Block } from '../ports/llm-provider.ts';
import type { Run, ToolCall } from '../ports/run-store.ts';
import type { CatalogueTool } from '../ports/tool-registry.ts';
import { failCall } from './call-results.ts';
import type { Change } from './commits.ts';
import { enqueue, type EngineContext, type ServerPolicy } from './engine-context.ts';
import { openItem } from './inbox.ts';
import { closestNames } from './closest-names.ts';

export type ToolUse = Extract<Block, { type: 'tool_use' }>;

export interface Plan {
  readonly run: Run;
  readonly turn: number;
  readonly toolUses: readonly ToolUse[];
}

/** Writes the tool calls of a turn into the ledger and enqueues those that may go; what can never be sent fails with a text for the model. */
export async function planCalls(context: EngineContext, change: Change, { run, turn, toolUses }: Plan): Promise<void> {
  const offered = context.registry.tools(run.servers);
  for (const [position, toolUse] of toolUses.entries()) {
    const tool = offered.find((candidate) => candidate.wireName === toolUse.name);
    const call = await insertCall(context, change, { turn, position, toolUse, tool });
    const refusal = refusalOf(context, toolUse, { tool, offered });
    if (refusal !== undefined) {
      await failCall(context, change, { call, message: refusal });
    } else if (call.state === 'awaiting_approval') {
      const request = { arguments: call.arguments, description: tool?.description, annotations: tool?.annotations, trusted: tool?.trusted };
      await openItem(context, change, { id: context.newId(), kind: 'tool_approval', call, request, isHeldHere: false });
    } else {
      change.afterCommit(() => enqueue(context, { type: 'call-tool', callId: call.id }));
    }
  }
}

interface Planned {
  readonly turn: number;
  readonly position: number;
  readonly toolUse: ToolUse;
  readonly tool: CatalogueTool | undefined;
}

async function insertCall(context: EngineContext, { sql, runId, emit }: Change, { turn, position, toolUse, tool }: Planned): Promise<ToolCall> {
  const isAsked = tool !== undefined && toolUse.invalid === undefined && needsApproval(context.policyOf(tool.server), tool);
  const state = isAsked ? 'awaiting_approval' : 'planned';
  const call: ToolCall = {
    id: context.newId(),
    runId,
    turn,
    position,
    toolUseId: toolUse.id,
    wireName: toolUse.name,
    server: tool?.server ?? '',
    tool: tool?.name ?? toolUse.name,
    arguments: toolUse.input,
    state,
    attempt: 0,
    owner: undefined,
    idempotencyKey: context.newId(),
    repeatable: tool !== undefined && isRepeatable(tool),
    result: undefined,
    error: undefined,
    cancel: undefined,
    parked: undefined,
    taskId: undefined,
    createdAt: context.clock.now(),
    finishedAt: undefined,
  };
  await sql.insertToolCall(call);
  const { id, wireName, server, repeatable } = call;
  emit({
    type: 'tool_call.planned',
    data: { call_id: id, turn, position, tool_use_id: toolUse.id, name: wireName, server, tool: call.tool, arguments: call.arguments, state, repeatable },
  });
  return call;
}

function refusalOf({ policyOf }: EngineContext, toolUse: ToolUse, { tool, offered }: { readonly tool: CatalogueTool | undefined; readonly offered: readonly CatalogueTool[] }): string | undefined {
  if (tool === undefined) {
    const near = closestNames(toolUse.name, offered.map((candidate) => candidate.wireName));
    return `There is no tool named ${toolUse.name}.${near.length === 0 ? '' : ` Close names: ${near.join(', ')}.`}`;
  }
  if (toolUse.invalid !== undefined) return `The arguments of this call cannot be used: ${toolUse.invalid} Send it again with one JSON object that fits the schema of ${tool.wireName}.`;
  if (policyOf(tool.server).approval === 'deny') return `The configuration of this service does not allow calls of tools of ${tool.server}.`;
  return undefined;
}

function needsApproval({ approval }: ServerPolicy, { trusted, annotations }: CatalogueTool): boolean {
  return approval === 'ask' || (approval === 'default' && !(trusted && annotations.readOnlyHint === true));
}

/** Hints count only from a trusted server; a tool is destructive unless it says that it is not. */
function isRepeatable({ trusted, annotations }: CatalogueTool): boolean {
  return trusted && (annotations.readOnlyHint === true || (annotations.idempotentHint === true && annotations.destructiveHint === false));
}
