import { EngineError, type Fork, type OnCommit } from '../../ports/run-engine.ts';
import { OPEN_CALL_STATES } from '../../ports/store/tool-call.ts';
import type { Run } from '../../ports/store/run.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { StoredMessage } from '../../ports/store/message.ts';
import { admit } from './admission.ts';
import { missingResults } from '../results/answer-tool-uses.ts';
import { queuedEvent, refuseUnusable } from './create-run.ts';
import type { Uses } from '../core/engine-parts.ts';
import { mergeSettings } from '../core/model-settings.ts';
import { mergeRules } from '../core/tool-rules.ts';
import { newRun } from './new-run.ts';
import { runOnCommit } from '../core/on-commit.ts';
import { enqueueStart } from './thread-order.ts';
import { shutdownError } from '../core/commits.ts';

type Parts = Uses<
  | 'store'
  | 'enqueue'
  | 'catalogue'
  | 'llm'
  | 'outputs'
  | 'clock'
  | 'newId'
  | 'maxQueuedRuns'
  | 'keyLimits'
  | 'commit'
  | 'closing'
>;

/**
 * Stores a new run outside of any thread, which begins with a copy of another run's conversation up
 * to the end of a turn. No tool call is repeated.
 */
export async function forkRun(
  context: Parts,
  id: string,
  {
    atTurn,
    prompt,
    onCommit,
    ...changes
  }: Fork & { readonly onCommit?: OnCommit<Run> | undefined },
): Promise<Run> {
  if (context.closing.aborted) throw shutdownError();
  const source = await context.store.read.run(id);
  if (source === undefined) throw new EngineError('run_not_found', `There is no run ${id}.`);
  if (source.kind === 'call')
    throw new EngineError('invalid_fork', `The run ${id} is a single tool call: it has no turns.`);
  const turn = atTurn ?? (await lastWholeTurn(context.store.read, source));
  const { servers, provider, model, limits, instructions, metadata, outputSchema } = source;
  const run = newRun(context, {
    prompt: prompt ?? source.prompt,
    servers,
    ...(changes.model === undefined ? { modelRef: { provider, model } } : {}),
    agentId: source.agentId,
    agentVersion: source.agentVersion,
    instructions,
    metadata,
    outputSchema,
    priority: source.priority,
    ...changes,
    limits: { ...limits, ...changes.limits },
    modelSettings: mergeSettings(source.modelSettings, changes.modelSettings),
    toolRules: mergeRules(source.toolRules, changes.toolRules),
    forkedFrom: { runId: id, turn },
  });
  await refuseUnusable(context, run);
  // Messages of past turns do not change, and may be long: they are read before the transaction.
  const said = await historyUpTo(context.store.read, source, turn);
  return context.commit(
    run.id,
    async (change) => {
      const { sql } = change;
      const history =
        run.model === model && run.provider === provider ? said : said.map(withoutNative);
      const kept = turn === 0 && prompt !== undefined ? withoutPrompt(history) : history;
      const messages =
        prompt === undefined
          ? kept
          : [
              ...kept,
              { role: 'user' as const, content: [{ type: 'text' as const, text: prompt }] },
            ];
      if (messages.at(-1)?.role !== 'user')
        throw new EngineError(
          'invalid_fork',
          `Turn ${turn} of the run ${id} ended with an answer. Give the next message of the user in prompt.`,
        );
      await admit(context, change, run);
      await sql.insertRun(run);
      await sql.shareArtifacts(source, run.id);
      // From here on no artifact is deleted, and before that only those of deleted runs were.
      if ((await sql.runStatus(id)) === undefined)
        throw new EngineError('run_not_found', `There is no run ${id}.`);
      for (const message of messages)
        await sql.insertMessage(run.id, { ...message, id: context.newId(), turn: 0 });
      change.emit(queuedEvent(run));
      change.afterCommit(() => enqueueStart(context, run));
      const stored = { ...run, lastSeq: 1 };
      runOnCommit(change, onCommit, () => Promise.resolve(stored));
      return stored;
    },
    'create-run',
  );
}

type HistoryMessage = Pick<StoredMessage, 'role' | 'content' | 'native'>;

async function lastWholeTurn(read: StoreReader, { id, turns }: Run): Promise<number> {
  return (await hasOpenCalls(read, id, turns)) ? turns - 1 : turns;
}

async function hasOpenCalls(read: StoreReader, runId: string, turn: number): Promise<boolean> {
  return (await read.toolCalls(runId, { turn })).some(({ state }) =>
    OPEN_CALL_STATES.includes(state),
  );
}

async function historyUpTo(
  read: StoreReader,
  source: Run,
  turn: number,
): Promise<readonly HistoryMessage[]> {
  const { id, threadId, threadPosition = 0, turns } = source;
  if (turn > turns)
    throw new EngineError(
      'invalid_fork',
      `The run ${id} has ${turns} turns: at_turn can be 0 to ${turns}.`,
    );
  if (await hasOpenCalls(read, id, turn))
    throw new EngineError('invalid_fork', `Calls of turn ${turn} of the run ${id} have not ended.`);
  const before =
    threadId === undefined ? [] : await read.threadMessages(threadId, { before: threadPosition });
  const own = (await read.messages(id)).filter((message) => message.turn <= turn);
  const last = own.at(-1);
  const answers = last === undefined ? [] : await missingResults(read, id, last);
  const said: readonly HistoryMessage[] = [
    ...before,
    ...own,
    ...(answers.length === 0 ? [] : [{ role: 'user' as const, content: answers }]),
  ];
  return said.map(({ role, content, native }) => ({
    role,
    content,
    ...(native === undefined ? {} : { native }),
  }));
}

/**
 * Returns the message without the provider's own items, such as signed reasoning, which only the
 * model that wrote them can read.
 */
function withoutNative({ role, content }: HistoryMessage): HistoryMessage {
  return { role, content };
}

/** Drops the last message of the user, when it is text and not the results of calls. */
function withoutPrompt(history: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const last = history.at(-1);
  return last?.role === 'user' && last.content.every(({ type }) => type === 'text')
    ? history.slice(0, -1)
    : history;
}
