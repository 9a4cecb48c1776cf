import type { Block } from '../../ports/llm-provider.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { StoredMessage } from '../../ports/store/message.ts';
import { errorResult } from '../ledger/call-results.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { toolResult, toolResultOf } from './tool-results.ts';

/**
 * Adds results for the unanswered tool calls of a run that ends, so that another run can continue
 * its conversation.
 */
export async function answerToolUses(
  { newId }: Uses<'newId'>,
  { sql, runId }: Change,
): Promise<void> {
  const last = await sql.lastMessage(runId);
  const content = last === undefined ? [] : await missingResults(sql, runId, last);
  if (last !== undefined && content.length > 0)
    await sql.insertMessage(runId, { id: newId(), turn: last.turn, role: 'user', content });
}

/** Returns the results that the last message of a run lacks; empty when it calls no tool. */
export async function missingResults(
  read: StoreReader,
  runId: string,
  { role, turn, content }: StoredMessage,
): Promise<readonly Block[]> {
  const toolUses = role === 'assistant' ? content.filter((block) => block.type === 'tool_use') : [];
  if (toolUses.length === 0) return [];
  const calls = await read.toolCalls(runId, { turn });
  return toolUses.map(({ id }) => {
    const call = calls.find((each) => each.toolUseId === id);
    return call === undefined
      ? toolResult(id, errorResult('This call was not made: the run ended before it.'))
      : toolResultOf(call);
  });
}
