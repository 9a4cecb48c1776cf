import type { Codec } from '../era/codec.ts';
import { metaOf } from '../era/meta-keys.ts';
import type { JsonObject, JsonRpcRequest } from '../jsonrpc/messages.ts';
import type { Reply } from '../jsonrpc/peer.ts';
import type { ClientCapabilities } from '../protocol/capabilities.ts';
import { ErrorCode, ProtocolError } from '../protocol/errors.ts';
import type { QuestionContext, QuestionHandlers } from './client.ts';

/** What `initialize` declares: exactly what the handlers can answer. */
export function declaredCapabilities(handlers: QuestionHandlers = {}): ClientCapabilities {
  return {
    ...(handlers.sample === undefined ? {} : { sampling: { tools: {} } }),
    ...(handlers.elicit === undefined ? {} : { elicitation: { form: {}, url: {} } }),
    ...(handlers.listRoots === undefined ? {} : { roots: { listChanged: true } }),
  };
}

/** Answers the requests of a legacy server with the handlers, all at the same time, and knows whether any is open. */
export class ServerQuestions {
  readonly #handlers: QuestionHandlers;
  readonly #onOpenChanged: (areOpen: boolean) => void;
  #openCount = 0;

  /** `onOpenChanged` is called when the first question opens and when the last one is answered or withdrawn. */
  constructor(handlers: QuestionHandlers, onOpenChanged: (areOpen: boolean) => void) {
    this.#handlers = handlers;
    this.#onOpenChanged = onOpenChanged;
  }

  get areOpen(): boolean {
    return this.#openCount > 0;
  }

  /**
   * Answers a request in the given revision. A handler's ProtocolError is the answer; any other failure rejects.
   * `signal` aborts when the server withdraws the question: it then counts as closed, and nothing is answered.
   */
  async answer(request: JsonRpcRequest, codec: Codec, signal: AbortSignal): Promise<Reply | undefined> {
    if (request.method === 'ping') {
      return { result: {} };
    }
    const ask = this.#find(request, codec);
    if (ask === undefined) {
      return { error: { code: ErrorCode.methodNotFound, message: `Method not found: ${request.method}` } };
    }
    this.#count(1);
    const withdrawal = withdrawn(signal);
    try {
      return await Promise.race([reply(ask({ signal, meta: metaOf(request.params) })), withdrawal.promise]);
    } finally {
      withdrawal.stop();
      this.#count(-1);
    }
  }

  /** The call of the handler; `undefined` when the revision has no such request or there is no handler. */
  #find({ method, params }: JsonRpcRequest, codec: Codec): ((context: QuestionContext) => Promise<JsonObject>) | undefined {
    if (!codec.serverRequests.has(method)) {
      return undefined;
    }
    const { sample, elicit, listRoots } = this.#handlers;
    if (method === 'sampling/createMessage' && sample !== undefined) {
      return async (context) => codec.encodeAnswer(method, await sample(codec.decodeQuestion(method, params), context));
    }
    if (method === 'elicitation/create' && elicit !== undefined) {
      return async (context) => codec.encodeAnswer(method, await elicit(codec.decodeQuestion(method, params), context));
    }
    if (method === 'roots/list' && listRoots !== undefined) {
      return async (context) => codec.encodeAnswer(method, { roots: await listRoots(context) });
    }
    return undefined;
  }

  #count(change: 1 | -1): void {
    const before = this.areOpen;
    this.#openCount += change;
    if (this.areOpen !== before) {
      this.#onOpenChanged(this.areOpen);
    }
  }
}

async function reply(answer: Promise<JsonObject>): Promise<Reply> {
  try {
    return { result: await answer };
  } catch (error) {
    if (error instanceof ProtocolError) {
      return { error: error.toJSON() };
    }
    throw error;
  }
}

/** Resolves when the signal aborts, however long the handler then still takes. */
function withdrawn(signal: AbortSignal): { readonly promise: Promise<undefined>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener('abort', onAbort);
  return { promise, stop: () => signal.removeEventListener('abort', onAbort) };
}
