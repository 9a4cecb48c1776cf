import type * as z from 'zod';
import type { LlmProviders } from '../ports/llm-providers.ts';
import type { RunFrame } from '../run/follow/follow-run.ts';
import type { RunSignal } from '../run/follow/mailbox.ts';
import type { MessageDeltaFrame, RunSnapshotFrame, StreamGapFrame } from './stream-schemas.ts';
import {
  encodeFrame,
  encodeSharedFrame,
  joinFrames,
  type EncodedFrame,
  type SseFrame,
} from './sse-writer.ts';
import { eventView, runView } from './views.ts';

/** Maximum size of the encoded events that are kept for readers to come. */
const MAX_RECENT_BYTES = 256 * 1024;

/**
 * Encodes the frames of run streams. Readers of a run share the event objects of its signals, so each
 * is encoded once. Events that readers read from the store at different times are different objects;
 * the last encoded ones are kept, so that many readers that begin one after the other share them.
 */
export class FrameEncoder {
  readonly #llm: LlmProviders;
  readonly #encoded = new WeakMap<object, EncodedFrame>();
  readonly #recent = new Map<string, EncodedFrame>();
  #recentBytes = 0;
  #lastSignal: { readonly signal: RunSignal; readonly frames: readonly EncodedFrame[] } | undefined;

  constructor(llm: LlmProviders) {
    this.#llm = llm;
  }

  encode(frame: RunFrame): EncodedFrame {
    const shared = sharedPartOf(frame);
    if (shared === undefined) return encodeFrame(sseFrame(frame, this.#llm));
    const known = this.#encoded.get(shared);
    if (known !== undefined) return known;
    // Events never change.
    const key = frame.type === 'event' ? `${frame.event.runId} ${frame.event.seq}` : undefined;
    const recent = key && this.#recent.get(key);
    if (recent) return recent;
    const encoded = encodeSharedFrame(sseFrame(frame, this.#llm));
    this.#encoded.set(shared, encoded);
    if (key !== undefined) this.#keep(key, encoded);
    return encoded;
  }

  /** Returns the frames of a signal as one. Readers that are called one after the other get the same object. */
  encodeSignal(signal: RunSignal): readonly EncodedFrame[] {
    if (this.#lastSignal?.signal !== signal)
      this.#lastSignal = {
        signal,
        frames: joinFrames(framesOf(signal).map((frame) => this.encode(frame))),
      };
    return this.#lastSignal.frames;
  }

  #keep(key: string, encoded: EncodedFrame): void {
    this.#recent.set(key, encoded);
    this.#recentBytes += encoded.chunk.length;
    for (const [oldest, { chunk }] of this.#recent) {
      if (this.#recentBytes <= MAX_RECENT_BYTES) return;
      this.#recent.delete(oldest);
      this.#recentBytes -= chunk.length;
    }
  }
}

/** Returns the frames of the events or the delta of a signal. */
export function framesOf(signal: RunSignal): readonly RunFrame[] {
  if (signal.type === 'delta') return [{ type: 'delta', delta: signal }];
  return (signal.events ?? []).map((event) => ({ type: 'event', event }));
}

function sharedPartOf(frame: RunFrame): object | undefined {
  if (frame.type === 'event') return frame.event;
  return frame.type === 'delta' ? frame.delta : undefined;
}

function sseFrame(frame: RunFrame, llm: LlmProviders): SseFrame {
  switch (frame.type) {
    case 'snapshot': {
      const { run, partial, inbox } = frame;
      const text =
        partial === undefined
          ? {}
          : { partial: { message_id: partial.messageId, text: partial.text } };
      return typed({
        type: 'run.snapshot',
        run_id: run.id,
        run: runView(run, inbox, llm),
        ...text,
      });
    }
    case 'event':
      return { id: frame.event.seq, event: frame.event.type, data: eventView(frame.event) };
    case 'gap':
      return typed({ type: 'stream.gap', run_id: frame.runId, reason: 'slow_reader' });
    case 'delta': {
      const { runId, messageId, kind, toolUse, offset, text } = frame.delta;
      return typed({
        type: 'message.delta',
        run_id: runId,
        message_id: messageId,
        kind,
        ...(toolUse === undefined ? {} : { tool_use: toolUse }),
        offset,
        text,
      });
    }
  }
}

/** Returns a frame without an id, since it is not stored. */
function typed(
  data:
    | z.output<typeof RunSnapshotFrame>
    | z.output<typeof MessageDeltaFrame>
    | z.output<typeof StreamGapFrame>,
): SseFrame {
  return { event: data.type, data };
}
