import { missingCapabilityError } from '../../era/client-can.ts';
import { codecOf } from '../../era/codecs.ts';
import type { Codec, InputMethod, InputTypes } from '../../era/codec.ts';
import { MetaKey, metaOf } from '../../era/meta-keys.ts';
import type { ModernRoute } from '../../era/route-request.ts';
import type { JsonObject, JsonRpcRequest, RequestId } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError, shorten } from '../../protocol/errors.ts';
import { type LoggingLevel, isLoggingLevel } from '../../protocol/logging-levels.ts';
import type { NotificationSink } from '../connection/notification-queue.ts';
import { capabilityOf, type KeyedInputRequest } from '../input/input-requests.ts';
import type { Replay } from '../input/replay.ts';
import { type CustomRequest, type EraPort, requestNotInEra } from './era-port.ts';
import type { RequestClient } from './request-context.ts';
import { RequestingClient } from './requesting-client.ts';

/** The port of one modern request, whose `_meta` describes its client. */
export class ModernPort implements EraPort {
  readonly codec: Codec;
  readonly client: RequestClient;
  readonly logLevel: LoggingLevel | undefined;
  readonly replay: Replay;
  readonly #sink: NotificationSink;

  /** @throws ProtocolError -32602 for an unknown log level */
  constructor(
    { version, clientInfo, capabilities }: ModernRoute,
    request: JsonRpcRequest,
    { sink, replay }: { readonly sink: NotificationSink; readonly replay: Replay },
  ) {
    this.codec = codecOf(version);
    this.client = new RequestingClient(this.codec, clientInfo, capabilities);
    this.logLevel = readLogLevel(request);
    this.replay = replay;
    this.#sink = sink;
  }

  get isCongested(): boolean {
    return this.#sink.isCongested;
  }

  notify(method: string, params: JsonObject, relatedTo?: RequestId): PromiseLike<void> | undefined {
    return this.#sink.notify(method, params, relatedTo);
  }

  notifyChange(method: string, params: JsonObject, isWanted: () => boolean): void {
    this.#sink.notifyChange(method, params, isWanted);
  }

  /** Does nothing: closing the stream of a modern request cancels it. */
  closeStream(): void {
    // Nothing to do.
  }

  request(request: CustomRequest): Promise<JsonObject> {
    return Promise.reject(requestNotInEra(request));
  }

  /** Takes the input response from the replay. A request without a response suspends the handler, and `input_required` carries it to the client. */
  async ask<M extends InputMethod>(
    inputRequest: KeyedInputRequest<M>,
  ): Promise<InputTypes[M]['result']> {
    const capability = capabilityOf(inputRequest.method, inputRequest.params);
    if (!this.replay.isPossible || !this.client.can(capability))
      throw missingCapabilityError(capability);
    inputRequest.signal.throwIfAborted();
    return this.replay.ask(inputRequest);
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
