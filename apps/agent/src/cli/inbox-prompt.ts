import type { RunEngine } from '../ports/run-engine.ts';
import type { RunEvent } from '../ports/store/run-event.ts';
import { eventBody } from '../run/core/events.ts';
import { answerItem } from './answer-item.ts';
import { questionOf, type Asked } from './question-of.ts';
import type { Io } from './io.ts';

export interface InboxPromptOptions {
  readonly engine: Pick<RunEngine, 'respond'>;
  /** Prints a line between the lines of the run. */
  readonly print: (line: string) => void;
  /** Cancels all questions. */
  readonly signal: AbortSignal;
}

/** Asks at the terminal about one inbox item at a time, in the order of opening, until each is answered or closed. */
export class InboxPrompt {
  readonly #io: Io;
  readonly #options: InboxPromptOptions;
  readonly #open = new Map<string, AbortController>();
  #asked: Promise<void> = Promise.resolve();

  constructor(io: Io, options: InboxPromptOptions) {
    this.#io = io;
    this.#options = options;
  }

  onEvent(event: RunEvent): void {
    const { type, data } = eventBody(event);
    if (type === 'inbox.opened')
      this.#add({ id: data.inbox_item_id, kind: data.kind, request: data.request });
    if (type === 'inbox.void' || type === 'inbox.expired' || type === 'inbox.answered')
      this.#open.get(data.inbox_item_id)?.abort();
  }

  #add(item: Asked): void {
    const closed = new AbortController();
    this.#open.set(item.id, closed);
    const before = this.#asked;
    this.#asked = (async () => {
      await before;
      await this.#answer(item, AbortSignal.any([closed.signal, this.#options.signal]));
      this.#open.delete(item.id);
    })();
  }

  async #answer(item: Asked, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#options.print(`? ${questionOf(item)}`);
    await answerItem(this.#io, item, {
      respond: (response) => this.#options.engine.respond(item.id, response),
      signal,
    });
  }
}
