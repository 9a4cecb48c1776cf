import type { IncomingMessage } from 'node:http';
import { isJsonObject, isRequestId } from '../../jsonrpc/envelope.ts';
import { FlowGuard } from '../../jsonrpc/flow-guard.ts';
import type { MessageLimits } from '../../jsonrpc/message-limits.ts';
import type { JsonObject, RequestId } from '../../jsonrpc/messages.ts';
import { readText } from '../../jsonrpc/receive-text.ts';
import type { RefusedId } from '../../jsonrpc/refused-message.ts';
import { TurnBudget } from '../../jsonrpc/turn-budget.ts';
import type { TransportReceiver, UnreadableMessage } from '../../jsonrpc/transport.ts';
import { LocalError } from '../../protocol/errors.ts';
import type { ResponseQueue } from './response-queue.ts';

export interface IncomingMessagesOptions {
  readonly limits: MessageLimits;
  /** Responses to the server; reading pauses while too many wait. */
  readonly responses: ResponseQueue;
  /** Returns the name of the server for error messages. */
  readonly origin: () => string;
  /** Called with each response, before the receiver. */
  readonly completed: (response: ResponseMessage) => void;
  /** Called once, with a description of a flood ("it sent more than …"). */
  readonly flooded: (problem: string) => void;
}

/** A message with the members of a response; its contents are unchecked. */
export type ResponseMessage = JsonObject & { readonly id: RequestId };

/** Passes the server's messages to the receiver, at a limited rate. */
export class IncomingMessages {
  readonly #options: IncomingMessagesOptions;
  readonly #guard: FlowGuard;
  readonly #turn = new TurnBudget();
  #receiver: TransportReceiver | undefined;
  #isClosed = false;

  constructor(options: IncomingMessagesOptions) {
    this.#options = options;
    this.#guard = new FlowGuard(options.flooded);
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
  }

  /** Drops all later messages. */
  close(): void {
    this.#isClosed = true;
  }

  /** Delivers a parsed message. `relatedTo`: the request on whose stream it arrived. */
  deliver(value: unknown, relatedTo?: RequestId): void {
    if (this.#isClosed) return;
    this.#guard.message(value);
    if (Array.isArray(value)) return this.#deliverBatch(value, relatedTo);
    if (isResponse(value)) {
      this.#options.completed(value);
      this.#receiver?.message(value);
    } else {
      this.#receiver?.message(value, relatedTo === undefined ? undefined : { relatedTo });
    }
  }

  /** Parses and delivers the text of an event. */
  deliverText(text: string, relatedTo?: RequestId): void {
    const read = readText(text, this.#options.limits, 'an event');
    if ('value' in read) return this.deliver(read.value, relatedTo);
    const { problem } = read;
    if (problem.reason === 'too-large') this.refuse(problem.detail, problem);
    else this.#unreadable(problem);
  }

  /** Reports a message over a limit; `found` identifies its request, if known. */
  refuse(detail: string, { answers, requests }: RefusedId): void {
    if (this.#isClosed) return;
    if (answers !== undefined) this.#options.completed({ id: answers });
    this.#unreadable({
      reason: 'too-large',
      detail,
      ...(answers === undefined ? {} : { answers }),
      ...(requests === undefined ? {} : { requests }),
    });
  }

  /**
   * Throttles all responses together, and pauses them while too many responses wait to be posted.
   */
  meter(response: IncomingMessage): void {
    const { responses } = this.#options;
    response.on('data', (chunk: Buffer) => {
      const pauseMs = this.#guard.read(chunk.length);
      const nextTurn = this.#turn.read(chunk.length);
      const isPaused = pauseMs > 0 || nextTurn !== undefined || responses.isFull;
      if (!isPaused || response.destroyed) return;
      response.pause();
      const rate = pauseMs === 0 ? undefined : delay(pauseMs);
      void Promise.all([rate, nextTurn, responses.room()]).then(() => response.resume());
    });
  }

  /**
   * Delivers a batch, or only its responses when the receiver does not read batches, so that their
   * requests do not wait forever.
   */
  #deliverBatch(entries: readonly unknown[], relatedTo: RequestId | undefined): void {
    const responses = entries.filter(isResponse);
    for (const response of responses) this.#options.completed(response);
    this.#receiver?.message(entries, relatedTo === undefined ? undefined : { relatedTo });
    const error = new LocalError(
      'invalid-response',
      `${this.#options.origin()} responded with a batch, which this protocol version does not have.`,
      { sent: true },
    );
    for (const { id } of responses) this.#receiver?.requestFailed?.(id, error);
  }

  #unreadable(problem: UnreadableMessage): void {
    if (this.#isClosed) return;
    this.#receiver?.unreadable(problem);
    this.#guard.unreadable();
  }
}

function isResponse(value: unknown): value is ResponseMessage {
  return isJsonObject(value) && value.method === undefined && isRequestId(value.id);
}

/** Resolves after the time, which does not keep the process alive. */
const delay = (ms: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, ms).unref());
