import { estimateTokens } from '../../usage/estimate-tokens.ts';
import { LlmError, type LlmRequest } from '../../ports/llm-provider.ts';
import type { RunError } from '../../ports/store/run.ts';
import type { StopCause } from '../core/activities.ts';
import { interruptTurn, type Turn } from './begin-turn.ts';
import { charge } from '../limits/charge.ts';
import type { Change } from '../core/commits.ts';
import { conversationOf } from './conversation.ts';
import { endRun } from '../lifecycle/end-run.ts';
import type { EngineParts, Uses } from '../core/engine-parts.ts';
import { finishTurn } from './finish-turn.ts';
import { fitContext } from './fit-context.ts';
import { waitForModel, type ModelFailure } from '../lifecycle/model-outage.ts';
import { messageText } from '../text/message-text.ts';
import { cardOf } from '../core/run-model.ts';
import { checkOutput } from './output.ts';
import {
  knownContextTokens,
  maxOutputTokens,
  outputTokensBeside,
  promptRoom,
} from './output-tokens.ts';
import { streamMessage } from './stream-message.ts';
import { normalizeMessage } from '../text/normalize-message.ts';

type Parts = Uses<
  'workerId' | 'enqueue' | 'bus' | 'clock' | 'logger' | 'newId' | 'random' | 'sweep' | 'commit'
>;

const INTERNAL_ERROR: RunError = {
  code: 'internal_error',
  message: 'The model call failed inside the service; its log says why.',
};

/** Makes the model call of a turn and stores its outcome. */
export async function takeTurn(
  context: EngineParts,
  turn: Turn,
  signal: AbortSignal,
): Promise<void> {
  const { run, messageId } = turn;
  context.crashPoint('before-model-call');
  const request = await requestFor(context, turn);
  const streamed = await streamMessage(context, { run, messageId, request, signal });
  if (streamed.finish === undefined) return stopTurn(context, turn, { ...streamed, signal });
  const finish = {
    ...streamed.finish,
    message: normalizeMessage(streamed.finish.message, context.newId),
  };
  context.crashPoint('after-model-call');
  const checked = await checkOutput(context, run, messageText(finish.message.content));
  await context.commit(
    run.id,
    (change) =>
      finishTurn(context, change, { turn, finish, maxTokens: request.maxTokens, checked }),
    'finish-turn',
  );
  context.known.endTurn(run.id, turn.number);
}

async function requestFor(
  { store, llm, logger }: Uses<'store' | 'llm' | 'logger'>,
  { run, epoch }: Turn,
): Promise<LlmRequest> {
  const { system, tools } = epoch;
  const card = cardOf(llm, run);
  const { temperature, maxTokens, effort, toolChoice } = run.modelSettings ?? {};
  const outputTokens = maxOutputTokens(card, run.limits.outputTokens, maxTokens);
  const room = promptRoom(card, outputTokens);
  const fixedTokens = room === Infinity ? 0 : estimateTokens([system, tools]);
  const fitted = fitContext(await conversationOf(store.read, run, epoch.id), room - fixedTokens);
  if (fitted.leftOut > 0)
    logger.info('old tool results are left out of a long conversation', {
      run_id: run.id,
      results: fitted.leftOut,
    });
  return {
    model: run.model,
    system,
    messages: fitted.messages,
    tools,
    ...(run.outputSchema === undefined ? {} : { outputSchema: run.outputSchema }),
    maxTokens:
      knownContextTokens(card) === Infinity
        ? outputTokens
        : outputTokensBeside(card, outputTokens, fixedTokens + estimateTokens(fitted.messages)),
    ...(temperature === undefined ? {} : { temperature }),
    ...(effort === undefined ? {} : { effort }),
    // After its first message the model must be free to answer, or the run would not end.
    ...(toolChoice === undefined || (toolChoice === 'required' && run.turns > 0)
      ? {}
      : { toolChoice }),
    cacheKey: run.threadId ?? run.id,
    purpose: 'agent',
  };
}

interface Stopped {
  readonly text: string;
  readonly error: unknown;
  readonly signal: AbortSignal;
}

/**
 * Stores a model call that ended before its message was complete: by the provider, by a stop of the
 * run, or by the close of the engine.
 */
async function stopTurn(
  context: Parts,
  turn: Turn,
  { text, error, signal }: Stopped,
): Promise<void> {
  const { run, number, messageId } = turn;
  if (!(error instanceof LlmError) && !signal.aborted)
    context.logger.error('a model call failed', { run_id: run.id, error });
  const work = async (change: Change): Promise<void> => {
    // Another worker repeats the turn.
    if (turn.owner !== context.workerId) return;
    const isCancelling = (await change.sql.runStatus(run.id)) === 'cancelling';
    if (error instanceof LlmError && error.usage !== undefined)
      await charge(change, { usage: error.usage, model: run.model });
    if (!isCancelling && (signal.reason as StopCause | undefined) === 'shutdown')
      return interruptTurn(change, { turn: number, messageId }, 'shutdown');
    if (!(await change.sql.endTurn(messageId, isCancelling ? 'cancelled' : 'failed'))) return;
    await change.sql.savePartial(run.id, undefined);
    const data = { turn: number, message_id: messageId };
    if (isCancelling) {
      await keepPartialText(change, turn, text);
      change.emit({ type: 'turn.cancelled', data });
      return;
    }
    const failure: ModelFailure | undefined =
      error instanceof LlmError
        ? await waitForModel(context, change, { turn: number, messageId, error })
        : { error: INTERNAL_ERROR };
    if (failure === undefined) return;
    await keepPartialText(change, turn, text);
    const { callError, ...end } = failure;
    change.emit({
      type: 'turn.failed',
      data: { ...data, error: callError ?? end.error, retryable: false },
    });
    await endRun(context, change, { status: 'failed', ...end });
  };
  await context.commit(run.id, work, 'stop-turn');
}

/** Stores the partial text of a run that ends here. */
async function keepPartialText(
  { sql, emit }: Change,
  { run, number, messageId }: Turn,
  text: string,
): Promise<void> {
  if (text !== '')
    await sql.insertMessage(run.id, {
      id: messageId,
      turn: number,
      role: 'assistant',
      content: [{ type: 'text', text }],
    });
  emit({
    type: 'message.completed',
    data: {
      turn: number,
      message_id: messageId,
      role: 'assistant',
      text,
      tool_uses: [],
      is_partial: true,
    },
  });
}
