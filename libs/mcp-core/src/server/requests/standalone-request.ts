import { missingCapabilityError } from '../../era/client-can.ts';
import { legacyCodec } from '../../era/codecs.ts';
import type { Codec, InputMethod, InputTypes } from '../../era/codec.ts';
import type { InitializeRequest } from '../../era/read-initialize.ts';
import { routeRequest } from '../../era/route-request.ts';
import type { JsonObject, JsonRpcRequest, RequestId } from '../../jsonrpc/messages.ts';
import type { ResultOrError } from '../../jsonrpc/responses.ts';
import type { AuthContext, SendOptions } from '../../jsonrpc/transport.ts';
import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { ErrorCode } from '../../protocol/errors.ts';
import type { RequestClient } from './request-context.ts';
import { RequestingClient } from './requesting-client.ts';
import type { ConnectionContext } from '../connection/connection.ts';
import { type CustomRequest, type EraPort, requestNotInEra } from './era-port.ts';
import type { ConnectionScope } from './method.ts';
import { respondToInitialize } from '../connection/initialize.ts';
import { NotificationQueue, type NotificationSink } from '../connection/notification-queue.ts';
import { capabilityOf, type KeyedInputRequest } from '../input/input-requests.ts';
import { NO_REPLAY } from '../input/replay.ts';
import type { IncomingRequest } from './active-request.ts';
import type { RequestLink } from './request-link.ts';

const UNKNOWN = { clientInfo: undefined, capabilities: {} };
const NEVER = new AbortController().signal;

/** Serves a request that does not belong to a connection. */
export function serveStandaloneRequest(
  context: ConnectionContext,
  request: JsonRpcRequest,
  link: RequestLink,
): ResultOrError | Promise<ResultOrError> {
  const incoming = new LinkedRequest(request, link);
  const scope = new LinkScope(link);
  const sink = new NotificationQueue(new LinkSender(link));
  if (link.legacyVersion !== undefined) {
    const codec = legacyCodec(link.legacyVersion);
    if (codec === undefined)
      return {
        error: {
          code: ErrorCode.invalidParams,
          message: `${link.legacyVersion} is not a legacy protocol version`,
        },
      };
    if (request.method === 'initialize') {
      const host = { ...context, capabilities: withoutChanges(context.capabilities) };
      const opened = respondToInitialize(incoming, host);
      if ('error' in opened) return opened;
      const port = new SessionlessPort(codec, sink, opened.initialize);
      return context.requests
        .initialize(incoming, { opened, host, port })
        .then((response) => ('error' in response ? response : { result: response.result }));
    }
    return context.requests.legacy(incoming, {
      codec,
      scope,
      port: new SessionlessPort(codec, sink),
    });
  }
  const route = routeRequest(request, undefined);
  switch (route.kind) {
    case 'modern':
      return context.requests.modern(incoming, { route, sink, scope });
    case 'refused':
      return { error: route.error.toJSON() };
    default:
      return {
        error: {
          code: ErrorCode.invalidRequest,
          message: `Invalid request: ${request.method} needs a session, and this request has none`,
        },
      };
  }
}

/** Removes the capabilities that need a session: subscriptions and `listChanged`. */
function withoutChanges({
  tools,
  prompts,
  resources,
  ...others
}: ServerCapabilities): ServerCapabilities {
  return {
    ...others,
    ...(tools && { tools: {} }),
    ...(prompts && { prompts: {} }),
    ...(resources && { resources: {} }),
  };
}

class LinkedRequest implements IncomingRequest {
  readonly request: JsonRpcRequest;
  readonly #link: RequestLink;

  constructor(request: JsonRpcRequest, link: RequestLink) {
    this.request = request;
    this.#link = link;
  }

  get signal(): AbortSignal {
    return this.#link.signal;
  }

  get isCancelled(): boolean {
    return this.#link.isCancelled ?? this.#link.signal.aborted;
  }

  get auth(): AuthContext | undefined {
    return this.#link.auth;
  }
}

/** Sends every notification on the stream of the request. */
class LinkSender {
  readonly #link: RequestLink;

  constructor(link: RequestLink) {
    this.#link = link;
  }

  notify(method: string, params: JsonObject, _options?: SendOptions): Promise<void> | undefined {
    return this.#link.notify(method, params);
  }
}

/** The scope of a request with its own stream and without a session. */
class LinkScope implements ConnectionScope {
  readonly session = undefined;
  readonly watches = undefined;
  readonly hasOwnStream = true;
  readonly #ended: AbortSignal;

  constructor({ ended = NEVER }: RequestLink) {
    this.#ended = ended;
  }

  holdOpen(_id: RequestId, run: (ended: AbortSignal) => Promise<JsonObject>): Promise<JsonObject> {
    return run(this.#ended);
  }
}

/** The port of a legacy request outside any session, whose client is unknown. */
class SessionlessPort implements EraPort {
  readonly codec: Codec;
  readonly client: RequestClient;
  readonly logLevel = 'info';
  readonly replay = NO_REPLAY;
  readonly #sink: NotificationSink;

  constructor(
    codec: Codec,
    sink: NotificationSink,
    { clientInfo, capabilities }: Pick<InitializeRequest, 'clientInfo' | 'capabilities'> = UNKNOWN,
  ) {
    this.codec = codec;
    this.client = new RequestingClient(codec, clientInfo, capabilities);
    this.#sink = sink;
  }

  get isCongested(): boolean {
    return this.#sink.isCongested;
  }

  notify(method: string, params: JsonObject): PromiseLike<void> | undefined {
    return this.#sink.notify(method, params);
  }

  notifyChange(method: string, params: JsonObject, isWanted: () => boolean): void {
    this.#sink.notifyChange(method, params, isWanted);
  }

  closeStream(): void {
    // The stream cannot be resumed.
  }

  request(request: CustomRequest): Promise<JsonObject> {
    return Promise.reject(requestNotInEra(request));
  }

  ask<M extends InputMethod>({
    method,
    params,
  }: KeyedInputRequest<M>): Promise<InputTypes[M]['result']> {
    return Promise.reject(missingCapabilityError(capabilityOf(method, params)));
  }
}
