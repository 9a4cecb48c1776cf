import type { CallToolResult } from '@signalbox/mcp-core';
import type { ToolCall } from '../../ports/run-store.ts';
import type { Change } from './commits.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { previewOf } from './events.ts';

/** The longest text of an error that is stored, and that a model, a client or a log reads, in characters. */
const MAX_ERROR_CHARACTERS = 4096;

/** The beginning of an error's text. */
export function cutErrorText(text: string): string {
  if (text.length <= MAX_ERROR_CHARACTERS) return text;
  return `${text.slice(0, MAX_ERROR_CHARACTERS).toWellFormed()} [… ${text.length - MAX_ERROR_CHARACTERS} of ${text.length} characters left out]`;
}

/** A result made here, for a call that did not bring one of its own. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Settles a call as failed with a text for the model. Does nothing when the call has moved on. */
export async function failCall(
  { clock }: EngineContext,
  change: Change,
  { call, message, text = message }: { call: ToolCall; message: string; text?: string },
): Promise<void> {
  const result = errorResult(text);
  const patch = { state: 'failed', result, error: message, finishedAt: clock.now() } as const;
  if (
    !(await change.sql.updateToolCall(
      call.id,
      { state: [call.state], attempt: call.attempt },
      patch,
    ))
  )
    return;
  change.emit({
    type: 'tool_call.failed',
    data: { call_id: call.id, attempt: call.attempt, message, result: previewOf(result) },
  });
}
