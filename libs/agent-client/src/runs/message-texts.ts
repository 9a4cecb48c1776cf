import type { MessageDeltaFrame, RunEvent, RunSnapshotFrame } from '../api-types.ts';

/** Text of a snapshot that the reader does not have. */
interface MissingText {
  readonly delta: MessageDeltaFrame;
  /** Event before which the text began. */
  readonly seq: number;
}

/**
 * The texts of unfinished messages that the reader of a stream has. Makes each stream continue where the last one ended: a delta never repeats text, and the text
 * of a snapshot that the reader lacks becomes a delta behind the events that came before it.
 */
export class MessageTexts {
  /** Number of characters that the reader has, by message and part. */
  readonly #lengths = new Map<string, number>();
  #missing: MissingText | undefined;

  /** Takes the text of a snapshot. Returns its part that the reader can get at once. */
  takeSnapshot(
    { run_id, run, partial }: RunSnapshotFrame,
    lastSeq: number,
  ): MessageDeltaFrame | undefined {
    this.#missing = undefined;
    if (partial === undefined) return undefined;
    const { message_id, text } = partial;
    const part = { type: 'message.delta', run_id, message_id, kind: 'text' } as const;
    this.#missing = { delta: { ...part, offset: 0, text }, seq: run.last_seq };
    return lastSeq >= run.last_seq ? this.takeMissing() : undefined;
  }

  /** Returns the text of the snapshot, once, that must come before a later event or delta. */
  takeMissing(nextSeq = Infinity): MessageDeltaFrame | undefined {
    if (this.#missing === undefined || nextSeq <= this.#missing.seq) return undefined;
    const { delta } = this.#missing;
    this.#missing = undefined;
    return this.takeDelta(delta);
  }

  /** Returns the part of a delta that the reader does not have. */
  takeDelta(delta: MessageDeltaFrame): MessageDeltaFrame | undefined {
    const key = `${delta.message_id} ${delta.kind} ${delta.tool_use?.index ?? ''}`;
    const known = this.#lengths.get(key) ?? 0;
    const end = delta.offset + delta.text.length;
    if (end <= known) return undefined;
    this.#lengths.set(key, end);
    if (delta.offset >= known) return delta;
    return { ...delta, offset: known, text: delta.text.slice(known - delta.offset) };
  }

  /** Forgets the texts of a message that is complete or discarded. Returns the text of a complete message that no delta had. */
  takeEvent({ run_id, type, data }: RunEvent): MessageDeltaFrame | undefined {
    if (type !== 'message.completed' && type !== 'turn.interrupted') return undefined;
    const { message_id } = data;
    const rest =
      type === 'message.completed'
        ? this.takeDelta({
            type: 'message.delta',
            run_id,
            message_id,
            kind: 'text',
            offset: 0,
            text: data.text,
          })
        : undefined;
    for (const key of this.#lengths.keys())
      if (key.startsWith(`${message_id} `)) this.#lengths.delete(key);
    return rest;
  }
}
