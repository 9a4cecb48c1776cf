import { ErrorCode, ProtocolError } from '@signalbox/mcp-core';
import type { StoreReader } from '../../ports/store.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { Uses } from '../core/engine-parts.ts';

/** Maximum number of input requests of one call, rejected and withdrawn requests included. */
export const MAX_INPUT_REQUESTS = 100;
/** Number of further, rejected input requests after which the call is ended. */
export const MAX_REFUSED_INPUT_REQUESTS = 200;

/**
 * Counts the input requests of one call. Requests from the time of an earlier process are counted
 * by their inbox items.
 */
export class InputRequestCount {
  readonly #read: StoreReader;
  readonly #call: ToolCall;
  readonly #onTooMany: () => void;
  #earlier: Promise<number> | undefined;
  #sent = 0;

  /** `onTooMany` is called once, after `MAX_REFUSED_INPUT_REQUESTS` rejected requests. */
  constructor({ store }: Uses<'store'>, call: ToolCall, onTooMany: () => void) {
    this.#read = store.read;
    this.#call = call;
    this.#onTooMany = onTooMany;
  }

  /**
   * Counts an input request, unless it was counted before under the same key.
   * @throws ProtocolError when there were too many
   */
  async take(questionKey: string | undefined): Promise<void> {
    const { id } = this.#call;
    const earlier = await (this.#earlier ??= this.#read.countInboxItems({ callId: id }));
    if (
      this.#sent + earlier < MAX_INPUT_REQUESTS &&
      questionKey !== undefined &&
      (await this.#read.inboxItemOf(id, questionKey)) !== undefined
    )
      return;
    this.#sent += 1;
    if (this.#sent + earlier === MAX_INPUT_REQUESTS + MAX_REFUSED_INPUT_REQUESTS) this.#onTooMany();
    if (this.#sent + earlier > MAX_INPUT_REQUESTS)
      throw new ProtocolError(
        ErrorCode.rejectedByUser,
        `This call sent ${MAX_INPUT_REQUESTS} input requests; further ones are rejected.`,
      );
  }
}
