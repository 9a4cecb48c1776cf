import { addUsage } from '../../usage/add-usage.ts';
import type { LlmFinish, Usage } from '../../ports/llm-provider.ts';
import type { RunCore, RunError } from '../../ports/store/run.ts';
import type { Turn } from './begin-turn.ts';
import { overBudget, emitLimitEvents } from '../limits/budget.ts';
import type { Change } from '../core/commits.ts';
import { endRun } from '../lifecycle/end-run.ts';
import type { Uses } from '../core/engine-parts.ts';
import { checkLimit } from '../limits/limits.ts';
import { messageText } from '../text/message-text.ts';
import { finishAnswer, type FinalAnswer } from './output.ts';
import { NO_OUTAGE } from '../lifecycle/model-outage.ts';
import { offerOf, planCalls, type Offer, type ToolUse } from '../calls/plan-calls.ts';
import { usageData } from '../limits/usage.ts';

type Parts = Uses<
  | 'store'
  | 'known'
  | 'workerId'
  | 'enqueue'
  | 'bus'
  | 'dispatcher'
  | 'clock'
  | 'newId'
  | 'policyOf'
  | 'sweep'
>;

/**
 * Number of consecutive messages cut within the arguments of a call after which the run fails.
 * Before, the call fails with an error that the model reads.
 */
const MAX_CUT_TURNS = 3;

export interface TurnEnd extends Pick<FinalAnswer, 'checked'> {
  readonly turn: Turn;
  readonly finish: LlmFinish;
  /** Requested limit of output tokens. */
  readonly maxTokens: number;
}

/**
 * Stores the message of a turn and starts what follows: tool calls, the answer, or the end of the
 * run.
 */
export async function finishTurn(
  context: Parts,
  change: Change,
  { turn, finish, maxTokens, checked }: TurnEnd,
): Promise<void> {
  const { sql, runId } = change;
  // Another worker repeats a turn whose owner lost its lease.
  if (turn.owner !== context.workerId) return;
  const toolUses = finish.message.content.filter((block) => block.type === 'tool_use');
  const offer = offerOf(context, turn.run, toolUses);
  const [run, isEnded, isRecorded] = await Promise.all([
    sql.runCore(runId),
    sql.endTurn(turn.messageId, 'completed'),
    toolUses.length === 0 || sql.isLastCatalogue(runId, offer.tools),
  ]);
  if (run === undefined || !isEnded) {
    // What this worker remembers of the run may not be stored, for example after a failover.
    context.known.forgetRun(runId);
    return;
  }
  await storeMessage(change, { turn, finish, run, toolUses });
  if (run.status === 'cancelling') return;
  const cutTurns = await countCut(change, { run, toolUses });
  const failure = failureOf({ finish, maxTokens, cutTurns });
  if (failure !== undefined) return endRun(context, change, { status: 'failed', error: failure });
  if (toolUses.length > 0) {
    const usage = addUsage(run.usage, finish.usage);
    return callTools(context, change, { turn, toolUses, usage, offer, isRecorded });
  }
  // The model continues in the next turn.
  if (finish.stop === 'pause') return;
  return finishAnswer(context, change, {
    run,
    turn,
    answer: messageText(finish.message.content),
    checked,
  });
}

interface Finished {
  readonly turn: Turn;
  readonly finish: LlmFinish;
  readonly run: RunCore;
  readonly toolUses: readonly ToolUse[];
}

async function storeMessage(
  change: Change,
  { turn, finish, run, toolUses }: Finished,
): Promise<void> {
  const { sql, runId, emit } = change;
  const { message, usage, model } = finish;
  const total = addUsage(run.usage, usage);
  const native =
    message.native === undefined ? {} : { native: { ...message.native, epoch: turn.epoch.id } };
  await sql.insertMessage(runId, { ...message, ...native, id: turn.messageId, turn: turn.number });
  await sql.savePartial(runId, undefined);
  await sql.updateRun(runId, {
    turns: turn.number,
    usage: total,
    ...(run.modelOutage === undefined ? {} : NO_OUTAGE),
  });
  emitLimitEvents(change, { limits: run.limits, before: run.usage, after: total });
  const data = { turn: turn.number, message_id: turn.messageId };
  emit(
    {
      type: 'message.completed',
      data: {
        ...data,
        role: 'assistant',
        text: messageText(message.content),
        tool_uses: toolUses.map(({ id, name, input }) => ({ id, name, input })),
        is_partial: false,
      },
    },
    {
      type: 'usage.updated',
      data: {
        source: 'agent',
        server: undefined,
        call_id: undefined,
        model,
        usage: usageData(usage),
        total: usageData(total),
      },
    },
    { type: 'turn.completed', data: { ...data, stop_reason: finish.stop } },
  );
}

async function callTools(
  context: Parts,
  change: Change,
  {
    turn,
    toolUses,
    usage,
    offer,
    isRecorded,
  }: {
    readonly turn: Turn;
    readonly toolUses: readonly ToolUse[];
    readonly usage: Usage;
    readonly offer: Offer;
    readonly isRecorded: boolean;
  },
): Promise<void> {
  const { run } = turn;
  const toolCalls = run.toolCalls + toolUses.length;
  if (
    !checkLimit(change, {
      limit: 'tool_calls',
      before: run.toolCalls,
      after: toolCalls,
      allowed: run.limits.toolCalls,
    })
  ) {
    const message = `The model requested ${toolUses.length} tool calls, but the run may make only ${run.limits.toolCalls - run.toolCalls} more of its ${run.limits.toolCalls}.`;
    return endRun(context, change, {
      status: 'failed',
      error: { code: 'limit_exceeded', message },
      reason: 'tool_call_limit',
    });
  }
  const spent = overBudget({ limits: run.limits, usage });
  if (spent !== undefined)
    return endRun(context, change, {
      status: 'failed',
      error: { code: 'limit_exceeded', message: spent.message },
      reason: spent.reason,
    });
  await change.sql.updateRun(run.id, { toolCalls });
  await planCalls(context, change, {
    run,
    turn: turn.number,
    toolUses,
    offer,
    isRecorded,
    onPlanned(call) {
      if (context.store.isShared) return;
      context.known.addCall({ call, callMaxMs: run.limits.callMaxMs });
    },
  });
}

/** Counts the consecutive messages whose last call was cut. */
async function countCut(
  { sql, runId }: Change,
  { run, toolUses }: Pick<Finished, 'run' | 'toolUses'>,
): Promise<number> {
  const cutTurns = toolUses.at(-1)?.isCut === true ? run.cutTurns + 1 : 0;
  if (cutTurns !== run.cutTurns) await sql.updateRun(runId, { cutTurns });
  return cutTurns;
}

interface Ended {
  readonly finish: LlmFinish;
  readonly maxTokens: number;
  readonly cutTurns: number;
}

/** Returns the error of a message that can neither be the answer nor be continued. */
function failureOf({
  finish: { stop, message },
  maxTokens,
  cutTurns,
}: Ended): RunError | undefined {
  const hasToolUses = message.content.some((block) => block.type === 'tool_use');
  switch (stop) {
    case 'refusal':
      return {
        code: 'refusal',
        message: messageText(message.content) || 'The model refused the task and gave no reason.',
      };
    case 'context_full':
      return {
        code: 'context_full',
        message:
          'The conversation of this run no longer fits the context of the model. Use a model with a larger one, or a smaller task.',
      };
    case 'max_tokens':
      return hasToolUses && cutTurns < MAX_CUT_TURNS
        ? undefined
        : { code: 'max_tokens', message: cutMessage({ message, maxTokens, cutTurns }) };
    case 'end':
    case 'tool_use':
    case 'stop_sequence':
    case 'pause':
    case 'other':
      return undefined;
  }
}

function cutMessage({
  message,
  maxTokens,
  cutTurns,
}: Pick<LlmFinish, 'message'> & Omit<Ended, 'finish'>): string {
  const remedy =
    'Raise max_tokens or limits.output_tokens where the model can write more, or ask for less at once.';
  if (cutTurns > 0)
    return `The arguments of a tool call were cut ${cutTurns} times in a row at the limit of ${maxTokens} output tokens of one message. ${remedy}`;
  const kept =
    messageText(message.content) === ''
      ? 'it was spent before the answer began'
      : 'what the model wrote is kept';
  return `The answer was cut at the limit of ${maxTokens} output tokens of one message; ${kept}. ${remedy}`;
}
