import type { Codec } from '../../era/codec.ts';
import { MetaKey, metaOf } from '../../era/meta-keys.ts';
import type { JsonObject, JsonRpcRequest } from '../../jsonrpc/messages.ts';
import type { Reply } from '../../jsonrpc/peer.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { AskingRequest, ClientOptions } from '../client-options.ts';
import { QuestionDesk } from './input-request-handler.ts';

export interface QuestionPlace {
  readonly signal: AbortSignal;
  /** The request of ours that it belongs to, where that is known. */
  readonly request: AskingRequest | undefined;
}

/** Answers the requests of a legacy server with the handlers, all at the same time, and knows whether any is open. */
export class ServerQuestions {
  readonly #desk: QuestionDesk;
  readonly #onOpenChanged: (areOpen: boolean) => void;
  #openCount = 0;

  /** `onOpenChanged` is called when the first question opens and when the last one is answered or withdrawn. */
  constructor(options: ClientOptions, onOpenChanged: (areOpen: boolean) => void) {
    this.#desk = new QuestionDesk(options);
    this.#onOpenChanged = onOpenChanged;
  }

  /**
   * Answers a request in the given revision. A handler's ProtocolError is the answer; any other failure rejects.
   * `signal` aborts when the server withdraws the question: it then counts as closed, and nothing is answered.
   */
  async answer(
    { method, params }: JsonRpcRequest,
    codec: Codec,
    { signal, request }: QuestionPlace,
  ): Promise<Reply | undefined> {
    if (method === 'ping') {
      return { result: {} };
    }
    const ask = codec.serverRequests.has(method)
      ? this.#desk.find({ method, params, request }, codec)
      : undefined;
    if (ask === undefined) {
      return { error: { code: ErrorCode.methodNotFound, message: `Method not found: ${method}` } };
    }
    this.#count(1);
    const withdrawal = withdrawn(signal);
    try {
      return await Promise.race([reply(ask(signal), relatedTaskOf(params)), withdrawal.promise]);
    } finally {
      withdrawal.stop();
      this.#count(-1);
    }
  }

  #count(change: 1 | -1): void {
    const before = this.#openCount;
    this.#openCount += change;
    if (before === 0 || this.#openCount === 0) {
      this.#onOpenChanged(this.#openCount > 0);
    }
  }
}

async function reply(answer: Promise<JsonObject>, related: JsonObject | undefined): Promise<Reply> {
  try {
    const result = await answer;
    return {
      result:
        related === undefined ? result : { ...result, _meta: { ...metaOf(result), ...related } },
    };
  } catch (error) {
    if (error instanceof ProtocolError) {
      return { error: error.toJSON() };
    }
    throw error;
  }
}

/** What belongs to a task says so in both directions. @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#associating-task-related-messages */
function relatedTaskOf(params: JsonObject | undefined): JsonObject | undefined {
  const related = metaOf(params)[MetaKey.relatedTask];
  return related === undefined ? undefined : { [MetaKey.relatedTask]: related };
}

/** Resolves when the signal aborts, however long the handler then still takes. */
function withdrawn(signal: AbortSignal): { readonly promise: Promise<undefined>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener('abort', onAbort);
  return { promise, stop: () => signal.removeEventListener('abort', onAbort) };
}
