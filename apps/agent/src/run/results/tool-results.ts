import type { CallToolResult, ContentBlock } from '@signalbox/mcp-core';
import type { Block } from '../../ports/llm-provider.ts';
import type { InboxEntry } from '../../ports/store/progress.ts';
import type { Run } from '../../ports/store/run.ts';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import { SENT_CALL_STATES, type ToolCall } from '../../ports/store/tool-call.ts';
import { errorResult } from '../ledger/call-results.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { toolsOf } from '../core/tool-rules.ts';
import { announceToolChanges } from '../discovery/tool-changes.ts';
import { headAndTail } from '../text/head-and-tail.ts';
import { blockText } from '../text/block-text.ts';

/** Maximum number of bytes of text that the model gets of one result. */
export const MAX_RESULT_BYTES = 64 * 1024;

/** The last turn of a run, before the next one begins. */
export interface LastTurn {
  /** Its number; 0 before the first. */
  readonly turns: number;
  readonly calls: readonly ToolCall[];
  /** Open items of the run. */
  readonly open: readonly InboxEntry[];
  /** Whether the results of its calls are stored. */
  readonly isAnswered: boolean;
  /** Tools that the run is offered now. */
  readonly tools: readonly CatalogueTool[];
  /** Whether these are the tools that the model knows. */
  readonly areKnown: boolean;
}

export async function readLastTurn(
  context: Uses<'dispatcher'>,
  { sql, runId }: Change,
  { turns, servers, toolRules }: Pick<Run, 'turns' | 'servers' | 'toolRules'>,
): Promise<LastTurn> {
  const tools = toolsOf(context, { servers, toolRules });
  const [calls, open, isAnswered, areKnown] = await Promise.all([
    sql.toolCalls(runId, { turn: turns }),
    sql.inboxEntries({ runId, states: ['open'] }),
    turns > 0 && sql.hasMessage(runId, { turn: turns, role: 'user' }),
    turns === 0 || sql.isLastCatalogue(runId, tools, 'begin'),
  ]);
  return { turns, calls, open, isAnswered, tools, areKnown };
}

/**
 * Stores the results of a turn's settled calls and the changes of the tools as the next message for
 * the model.
 */
export async function storeToolResults(
  context: Uses<'newId'>,
  change: Change,
  { turns: turn, calls, isAnswered, tools, areKnown }: LastTurn,
): Promise<void> {
  const { sql, runId } = change;
  if (calls.length === 0 || isAnswered) return;
  const news = areKnown ? undefined : await announceToolChanges(change, turn + 1, tools);
  const content = [
    ...calls.map(toolResultOf),
    ...(news === undefined ? [] : [{ type: 'text' as const, text: news }]),
  ];
  await sql.insertMessage(runId, { id: context.newId(), turn, role: 'user', content });
}

/** Returns the result block that the model reads of a call that was settled or sent. */
export function toolResultOf(call: ToolCall): Block {
  return toolResult(call.toolUseId, withEditNote(call, cutResult(resultOf(call))));
}

/**
 * Cuts long text to its head and tail, with a note of the missing bytes. Structured content is
 * removed: the model reads it only when there is no text.
 */
export function cutResult(
  result: CallToolResult,
  maxBytes: number = MAX_RESULT_BYTES,
): CallToolResult {
  const total = result.content.reduce((sum, block) => sum + textBytes(block), 0);
  const structuredBytes =
    result.structuredContent === undefined
      ? 0
      : Buffer.byteLength(JSON.stringify(result.structuredContent));
  if (total <= maxBytes && structuredBytes <= maxBytes) return result;
  const { structuredContent, ...rest } = result;
  const hasText = total > 0;
  const content = hasText
    ? result.content
    : [...result.content, { type: 'text' as const, text: JSON.stringify(structuredContent) }];
  const bytes = hasText ? total : structuredBytes;
  return {
    ...rest,
    content: content.map((block) =>
      cutBlock(block, Math.floor((maxBytes * textBytes(block)) / bytes)),
    ),
  };
}

function resultOf(call: ToolCall): CallToolResult {
  if (call.result !== undefined) return call.result;
  if (call.state === 'unknown' || SENT_CALL_STATES.includes(call.state)) {
    const reason = call.state === 'unknown' ? 'its answer was lost' : 'the run ended before it';
    return errorResult(
      `It is not known whether this call took effect: ${call.error ?? reason}. Do not repeat it. If a read-only tool can show whether it took effect, look first; otherwise tell the user.`,
    );
  }
  return errorResult(call.error ?? `This call was ${call.state}.`);
}

/** Adds a note when a person changed the arguments of the call. */
function withEditNote(
  { modelArguments, arguments: args }: ToolCall,
  result: CallToolResult,
): CallToolResult {
  if (modelArguments === undefined) return result;
  const text = `A person changed the arguments of this call before it was made. It was made with: ${JSON.stringify(args).slice(0, 4096)}`;
  // The note is text, and structured content is not read beside text.
  const structured =
    result.content.length === 0 && result.structuredContent !== undefined
      ? [{ type: 'text' as const, text: JSON.stringify(result.structuredContent) }]
      : [];
  return { ...result, content: [{ type: 'text', text }, ...structured, ...result.content] };
}

/** Returns a result as a block of a conversation. */
export function toolResult(
  toolUseId: string,
  { content, structuredContent, isError }: CallToolResult,
): Block {
  return {
    type: 'tool_result',
    toolUseId,
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === undefined ? {} : { isError }),
  };
}

function textBytes(block: ContentBlock): number {
  const text = blockText(block);
  return text === undefined ? 0 : Buffer.byteLength(text);
}

function cutBlock(block: ContentBlock, maxBytes: number): ContentBlock {
  const text = blockText(block);
  if (text === undefined || Buffer.byteLength(text) <= maxBytes) return block;
  const cut = cutText(text, maxBytes);
  if (block.type === 'resource') return { ...block, resource: { ...block.resource, text: cut } };
  return block.type === 'text' ? { ...block, text: cut } : block;
}

function cutText(text: string, maxBytes: number): string {
  const { head, tail, missingBytes, totalBytes } = headAndTail(text, maxBytes);
  return `${head}\n[… ${missingBytes} of ${totalBytes} bytes left out here …]\n${tail}`;
}
