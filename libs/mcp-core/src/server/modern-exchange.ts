import { missingCapabilityError } from '../era/client-can.ts';
import type { Codec, QuestionMethod, QuestionTypes } from '../era/codec.ts';
import { MetaKey, metaOf } from '../era/meta-keys.ts';
import type { JsonObject, JsonRpcRequest } from '../jsonrpc/messages.ts';
import type { ClientCapability, Implementation, LoggingLevel } from '../protocol/capabilities.ts';
import { ErrorCode, ProtocolError } from '../protocol/errors.ts';
import { isLoggingLevel } from '../protocol/logging-levels.ts';
import type { RequestClient } from './context.ts';
import type { Exchange, ExchangeQuestion } from './exchange.ts';
import type { Outbox } from './outbox.ts';
import { capabilityOf } from './question-capability.ts';
import { shorten } from '../protocol/shorten.ts';

/** The methods whose params may carry a `requestState`; to the others it is an unknown member. */
const MULTI_ROUND_TRIP = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** A modern request, which knows everything about its client from its own `_meta`. Built for the request, discarded after it. */
export class ModernExchange implements Exchange {
  readonly codec: Codec;
  readonly client: RequestClient;
  readonly logLevel: LoggingLevel | undefined;
  readonly #outbox: Outbox;

  /** @throws ProtocolError -32602 */
  constructor(route: { readonly codec: Codec; readonly clientInfo: Implementation | undefined }, request: JsonRpcRequest, outbox: Outbox) {
    refuseForeignState(request);
    this.codec = route.codec;
    this.client = { info: route.clientInfo, era: route.codec.era, can: cannot };
    this.logLevel = readLogLevel(request);
    this.#outbox = outbox;
  }

  notify(method: string, params: JsonObject): void {
    this.#outbox.notify(method, params);
  }

  notifyChange(method: string, params: JsonObject, isWanted: () => boolean): void {
    this.#outbox.notifyChange(method, params, isWanted);
  }

  /** A modern server asks by answering `input_required`, which this exchange does not do: no question can be asked. */
  ask<M extends QuestionMethod>(question: ExchangeQuestion<M>): Promise<QuestionTypes[M]['result']> {
    return Promise.reject(missingCapabilityError(capabilityOf(question.method, question.params)));
  }
}

function cannot(_capability: ClientCapability): boolean {
  return false;
}

/** No request state is issued here, so none can be verified. @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr */
function refuseForeignState({ method, params }: JsonRpcRequest): void {
  if (!MULTI_ROUND_TRIP.has(method) || params?.requestState === undefined) return;
  throw new ProtocolError(ErrorCode.invalidParams, 'Invalid params: this requestState was not issued here');
}

function readLogLevel(request: JsonRpcRequest): LoggingLevel | undefined {
  const level = metaOf(request.params)[MetaKey.logLevel];
  if (level === undefined || isLoggingLevel(level)) return level;
  throw new ProtocolError(ErrorCode.invalidParams, `Invalid params: unknown ${MetaKey.logLevel} ${shorten(JSON.stringify(level))}`);
}
