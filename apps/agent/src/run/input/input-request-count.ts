import { ErrorCode, ProtocolError } from '@signalbox/mcp-core';
import type { RunReader, ToolCall } from '../../ports/run-store.ts';
import type { Uses } from '../core/engine-parts.ts';

/** The most questions of one call, the refused and the withdrawn ones included. */
export const MAX_QUESTIONS = 100;
/** The most questions that are refused beyond these; then the call is ended. */
export const MAX_REFUSED_QUESTIONS = 200;

/** Counts the questions of one call; those of an earlier process that held the call are counted by their inbox items. */
export class QuestionCount {
  readonly #read: RunReader;
  readonly #call: ToolCall;
  readonly #onTooMany: () => void;
  #earlier: Promise<number> | undefined;
  #asked = 0;

  /** `onTooMany` is called once, when `MAX_REFUSED_QUESTIONS` were refused because there were too many. */
  constructor({ store }: Uses<'store'>, call: ToolCall, onTooMany: () => void) {
    this.#read = store.read;
    this.#call = call;
    this.#onTooMany = onTooMany;
  }

  /** Counts one more question; one that was asked before under the same key is not counted. @throws ProtocolError when there were too many */
  async take(questionKey: string | undefined): Promise<void> {
    const { id } = this.#call;
    const earlier = await (this.#earlier ??= this.#read.countInboxItems({ callId: id }));
    if (
      this.#asked + earlier < MAX_QUESTIONS &&
      questionKey !== undefined &&
      (await this.#read.inboxItemOf(id, questionKey)) !== undefined
    )
      return;
    this.#asked += 1;
    if (this.#asked + earlier === MAX_QUESTIONS + MAX_REFUSED_QUESTIONS) this.#onTooMany();
    if (this.#asked + earlier > MAX_QUESTIONS)
      throw new ProtocolError(
        ErrorCode.rejectedByUser,
        `This call asked ${MAX_QUESTIONS} questions; no more are put to a person.`,
      );
  }
}
