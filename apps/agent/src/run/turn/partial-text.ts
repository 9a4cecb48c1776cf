import { inBackground, type Uses } from '../core/engine-parts.ts';

const FLUSH_EVERY_MS = 500;

/** Text of a message while it grows, stored with a delay of at most half a second. */
export class PartialText {
  readonly #context: Uses<'clock' | 'logger' | 'commit'>;
  readonly #message: { readonly runId: string; readonly messageId: string };
  #text = '';
  #cancelFlush: (() => void) | undefined;
  #flushed: Promise<void> = Promise.resolve();

  constructor(
    context: Uses<'clock' | 'logger' | 'commit'>,
    message: { readonly runId: string; readonly messageId: string },
  ) {
    this.#context = context;
    this.#message = message;
  }

  get text(): string {
    return this.#text;
  }

  add(delta: string): void {
    this.#text += delta;
    this.#cancelFlush ??= this.#context.clock.after(FLUSH_EVERY_MS, () => this.#flush());
  }

  /** Stops writing. Resolves when the last write has ended. */
  async close(): Promise<void> {
    this.#cancelFlush?.();
    await Promise.allSettled([this.#flushed]);
  }

  #flush(): void {
    this.#cancelFlush = undefined;
    const { runId, messageId } = this.#message;
    const text = this.#text;
    this.#flushed = this.#context.commit(runId, async ({ sql }) => {
      // The turn may have ended, and another worker may make its next attempt.
      if ((await sql.activeTurn(runId))?.messageId === messageId)
        await sql.savePartial(runId, { messageId, text });
    });
    inBackground(this.#context, 'keeping partial text', this.#flushed);
  }
}
