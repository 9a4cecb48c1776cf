import type { Signal } from '../../ports/signal-bus.ts';
import type { Uses } from '../core/engine-parts.ts';

type Delta = Extract<Signal, { type: 'delta' }>;

/** Minimum number of milliseconds between two deltas of the same kind. */
export const DELTA_EVERY_MS = 40;

/**
 * Publishes the growing parts of a message. The first part is published at once, and what arrives
 * within the next 40 ms as one delta. A delta of another kind or call publishes the waiting one first.
 */
export class DeltaBatch {
  readonly #context: Uses<'bus' | 'clock'>;
  readonly #message: Pick<Delta, 'runId' | 'messageId'>;
  /** Number of characters of each part. */
  readonly #lengths = new Map<string, number>();
  #waiting: Omit<Delta, 'text'> | undefined;
  #text = '';
  #cancelTimer: (() => void) | undefined;

  constructor(
    context: Uses<'bus' | 'clock'>,
    message: { readonly runId: string; readonly messageId: string },
  ) {
    this.#context = context;
    this.#message = message;
  }

  add(text: string, { kind, toolUse }: Pick<Delta, 'kind' | 'toolUse'>): void {
    if (text === '') return;
    if (this.#waiting?.kind !== kind || this.#waiting.toolUse?.index !== toolUse?.index)
      this.#publish();
    const part = toolUse === undefined ? kind : `${toolUse.index}`;
    const offset = this.#lengths.get(part) ?? 0;
    this.#lengths.set(part, offset + text.length);
    this.#waiting ??= {
      type: 'delta',
      ...this.#message,
      kind,
      offset,
      ...(toolUse === undefined ? {} : { toolUse }),
    };
    this.#text += text;
    if (this.#cancelTimer === undefined) this.#publishAndWait();
  }

  /** Publishes the waiting text. */
  close(): void {
    this.#cancelTimer?.();
    this.#publish();
  }

  #publishAndWait(): void {
    this.#publish();
    this.#cancelTimer = this.#context.clock.after(DELTA_EVERY_MS, () => {
      this.#cancelTimer = undefined;
      if (this.#waiting !== undefined) this.#publishAndWait();
    });
  }

  #publish(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const text = this.#text;
    this.#waiting = undefined;
    this.#text = '';
    this.#context.bus.publish({ ...waiting, text });
  }
}
