import type { ProviderInfo } from '../ports/llm-provider.ts';
import type { RunFrame } from '../run/follow-run.ts';
import { frameText, type SseFrame } from './sse-writer.ts';
import { eventView, runView } from './views.ts';

/** The frames of run streams as text. Events and deltas are the same objects for all who follow a run, and are written out once. */
export class FrameTexts {
  readonly #info: ProviderInfo;
  readonly #texts = new WeakMap<object, string>();

  constructor(info: ProviderInfo) {
    this.#info = info;
  }

  textOf(frame: RunFrame): string {
    const shared = sharedPartOf(frame);
    const known = shared && this.#texts.get(shared);
    if (known !== undefined) return known;
    const text = frameText(sseFrame(frame, this.#info));
    if (shared !== undefined) this.#texts.set(shared, text);
    return text;
  }
}

function sharedPartOf(frame: RunFrame): object | undefined {
  if (frame.type === 'event') return frame.event;
  return frame.type === 'delta' ? frame.delta : undefined;
}

function sseFrame(frame: RunFrame, info: ProviderInfo): SseFrame {
  switch (frame.type) {
    case 'snapshot': {
      const { run, partial, inbox } = frame;
      const text = partial === undefined ? {} : { partial: { message_id: partial.messageId, text: partial.text } };
      return { event: 'run.snapshot', data: { run: runView(run, inbox, info), ...text } };
    }
    case 'event':
      return { id: frame.event.seq, event: frame.event.type, data: eventView(frame.event) };
    case 'gap':
      return { event: 'stream.gap', data: { reason: 'slow_reader' } };
    case 'delta': {
      const { messageId, kind, offset, text } = frame.delta;
      return { event: 'message.delta', data: { message_id: messageId, kind, offset, text } };
    }
  }
}
