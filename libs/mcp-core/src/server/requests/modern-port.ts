import { missingCapabilityError } from '../../era/client-can.ts';
import type { Codec, InputMethod, InputTypes } from '../../era/codec.ts';
import { MetaKey, metaOf } from '../../era/meta-keys.ts';
import type { ModernRoute } from '../../era/route-request.ts';
import type { JsonObject, JsonRpcRequest, RequestId } from '../../jsonrpc/messages.ts';
import { type LoggingLevel, isLoggingLevel } from '../../protocol/logging-levels.ts';
import { ErrorCode, ProtocolError, shorten } from '../../protocol/errors.ts';
import type { RequestClient } from './request-context.ts';
import type { EraPort, KeyedInputRequest } from './era-port.ts';
import type { Journal } from '../input/journal.ts';
import type { NotificationSink } from '../connection/notification-queue.ts';
import { capabilityOf } from '../input/input-requests.ts';

/** A modern request, which knows everything about its client from its own `_meta`. Built for the request, discarded after it. */
export class ModernPort implements EraPort {
  readonly codec: Codec;
  readonly client: RequestClient;
  readonly logLevel: LoggingLevel | undefined;
  /** Only of the methods that may ask. */
  readonly journal: Journal | undefined;
  readonly #sink: NotificationSink;

  /** @throws ProtocolError -32602 */
  constructor(
    { codec, clientInfo, capabilities }: ModernRoute,
    request: JsonRpcRequest,
    server: { readonly sink: NotificationSink; readonly journal: Journal | undefined },
  ) {
    this.codec = codec;
    this.client = {
      info: clientInfo,
      era: codec.era,
      can: (capability) => codec.can(capabilities, capability),
    };
    this.logLevel = readLogLevel(request);
    this.journal = server.journal;
    this.#sink = server.sink;
  }

  get isCongested(): boolean {
    return this.#sink.isCongested;
  }

  notify(method: string, params: JsonObject, relatedTo?: RequestId): PromiseLike<void> {
    return this.#sink.notify(method, params, relatedTo);
  }

  notifyChange(method: string, params: JsonObject, isWanted: () => boolean): void {
    this.#sink.notifyChange(method, params, isWanted);
  }

  /** The end of the stream is the client's way to cancel, so the server keeps it open. */
  closeStream(): void {
    // Nothing to do.
  }

  /** A modern server asks by answering `input_required`: the answer is in the journal when the handler runs again. */
  async ask<M extends InputMethod>(
    question: KeyedInputRequest<M>,
  ): Promise<InputTypes[M]['result']> {
    const capability = capabilityOf(question.method, question.params);
    if (this.journal === undefined || !this.client.can(capability))
      throw missingCapabilityError(capability);
    return this.journal.ask(question);
  }
}

function readLogLevel(request: JsonRpcRequest): LoggingLevel | undefined {
  const level = metaOf(request.params)[MetaKey.logLevel];
  if (level === undefined || isLoggingLevel(level)) return level;
  throw new ProtocolError(
    ErrorCode.invalidParams,
    `Invalid params: unknown ${MetaKey.logLevel} ${shorten(JSON.stringify(level))}`,
  );
}
