import type { LlmEvent, LlmFinish, LlmRequest } from '../../ports/llm-provider.ts';
import type { Run } from '../../ports/store/run.ts';
import type { Uses } from '../core/engine-parts.ts';
import { providerOf } from '../core/run-model.ts';
import { DeltaBatch } from './delta-batch.ts';
import { PartialText } from './partial-text.ts';

/**
 * Retry delay inside one attempt of a turn, in milliseconds: none. The run itself waits, which is
 * visible, survives a restart and holds no job.
 */
const PATIENCE_MS = 0;

export interface MessageStream {
  readonly run: Pick<Run, 'id' | 'provider'>;
  readonly messageId: string;
  readonly request: LlmRequest;
  readonly signal: AbortSignal;
}

/**
 * Outcome of a stream. Without `finish`, `error` has the reason and `text` the text received so
 * far.
 */
export type Streamed =
  | { readonly finish: LlmFinish }
  | { readonly finish?: undefined; readonly text: string; readonly error: unknown };

/**
 * Streams one message: publishes its deltas on the bus and stores its growing text. Never rejects
 * because of the provider.
 */
export async function streamMessage(
  context: Uses<'bus' | 'llm' | 'clock' | 'logger' | 'commit'>,
  { run, messageId, request, signal }: MessageStream,
): Promise<Streamed> {
  const runId = run.id;
  const partial = new PartialText(context, { runId, messageId });
  const deltas = new DeltaBatch(context, { runId, messageId });
  const toolUses = new Map<number, { readonly id: string; readonly name: string }>();
  const receive = (event: LlmEvent): void => {
    if (event.type === 'warning')
      context.logger.warn('warning of the model provider', {
        run_id: runId,
        message: event.message,
      });
    if (event.type === 'tool_start') toolUses.set(event.index, { id: event.id, name: event.name });
    if (event.type === 'tool_arguments') {
      const { index, delta } = event;
      const toolUse = toolUses.get(index);
      if (toolUse !== undefined)
        deltas.add(delta, { kind: 'arguments', toolUse: { index, ...toolUse } });
    }
    if (event.type === 'text' || event.type === 'reasoning')
      deltas.add(event.delta, { kind: event.type });
    if (event.type === 'text') partial.add(event.delta);
  };
  try {
    const provider = providerOf(context.llm, run.provider);
    for await (const event of provider.stream(request, { signal, patienceMs: PATIENCE_MS })) {
      if (event.type === 'finish') return { finish: event };
      receive(event);
    }
    return { text: partial.text, error: new Error('the stream ended without its last event') };
  } catch (error) {
    return { text: partial.text, error };
  } finally {
    deltas.close();
    await partial.close();
  }
}
