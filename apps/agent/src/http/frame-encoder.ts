import type * as z from 'zod';
import type { LlmProviders } from '../ports/llm-providers.ts';
import type { RunEvent } from '../ports/store/run-event.ts';
import type { RunFrame } from '../run/follow/follow-run.ts';
import type { RunSignal } from '../run/follow/mailbox.ts';
import type {
  MessageDeltaFrame,
  RunSnapshotFrame,
  StreamGapFrame,
} from './stream-response-schemas.ts';
import {
  encodeFrame,
  joinFrames,
  sharedFrame,
  textOf,
  type EncodedFrame,
  type SseFrame,
} from './sse-writer.ts';
import { eventView, runView } from './views.ts';

/** Maximum size of the encoded events that are kept for readers to come. */
const MAX_RECENT_BYTES = 256 * 1024;

/** Size from which events are not joined with further ones. A reader that is slow has as much of them in memory. */
const JOINED_BYTES = 16 * 1024;

/** Events with successive `seq` as one frame. */
interface EventGroup {
  readonly count: number;
  readonly encoded: EncodedFrame;
}

/**
 * Encodes the frames of run streams. Readers of a run share the event objects of its signals, so each
 * is encoded once. Events that readers read from the store at different times are different objects;
 * the last encoded ones are kept, so that many readers that begin one after the other share them.
 */
export class FrameEncoder {
  readonly #llm: LlmProviders;
  readonly #encoded = new WeakMap<object, EncodedFrame>();
  /** Groups by the run and the `seq` of the first event. */
  readonly #recent = new Map<string, EventGroup>();
  #recentBytes = 0;
  #lastSignal: { readonly signal: RunSignal; readonly frames: readonly EncodedFrame[] } | undefined;

  constructor(llm: LlmProviders) {
    this.#llm = llm;
  }

  /** Returns a frame, which readers with the same event or delta object share. */
  encode(frame: RunFrame): EncodedFrame {
    const shared = sharedPartOf(frame);
    if (shared === undefined) return encodeFrame(sseFrame(frame, this.#llm));
    const known = this.#encoded.get(shared);
    if (known !== undefined) return known;
    const encoded = sharedFrame(textOf(sseFrame(frame, this.#llm)));
    this.#encoded.set(shared, encoded);
    return encoded;
  }

  /** Yields the frames in order, events that follow each other as one. */
  *encodeAll(frames: readonly RunFrame[]): Generator<EncodedFrame> {
    let next = 0;
    for (const [at, frame] of frames.entries()) {
      if (at < next) continue;
      const { count, encoded } =
        frame.type === 'event'
          ? this.#groupAt(frames, at, frame.event)
          : { count: 1, encoded: this.encode(frame) };
      next = at + count;
      yield encoded;
    }
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

  #groupAt(frames: readonly RunFrame[], at: number, first: RunEvent): EventGroup {
    const key = `${first.runId} ${first.seq}`;
    // Events never change.
    const known = this.#recent.get(key);
    if (known !== undefined && seqAt(frames, at + known.count - 1) === first.seq + known.count - 1)
      return known;
    const group = this.#encodeGroup(frames.slice(at), first);
    this.#keep(key, group);
    return group;
  }

  #encodeGroup(frames: readonly RunFrame[], first: RunEvent): EventGroup {
    let text = '';
    let count = 0;
    for (const frame of frames) {
      const isNext = frame.type === 'event' && frame.event.seq === first.seq + count;
      if (!isNext || text.length >= JOINED_BYTES) break;
      text += textOf(sseFrame(frame, this.#llm));
      count += 1;
    }
    return { count, encoded: sharedFrame(text, { isKept: true }) };
  }

  #keep(key: string, group: EventGroup): void {
    this.#recentBytes +=
      group.encoded.chunk.length - (this.#recent.get(key)?.encoded.chunk.length ?? 0);
    this.#recent.set(key, group);
    for (const [oldest, { encoded }] of this.#recent) {
      if (this.#recentBytes <= MAX_RECENT_BYTES) return;
      this.#recent.delete(oldest);
      this.#recentBytes -= encoded.chunk.length;
    }
  }
}

function seqAt(frames: readonly RunFrame[], at: number): number | undefined {
  const frame = frames[at];
  return frame?.type === 'event' ? frame.event.seq : undefined;
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
