import { readLogEntry } from '../client/connection/logging.ts';
import type { HandlerCapabilities } from '../client/input/input-handlers.ts';
import { readProgress } from '../client/requests/progress.ts';
import { declaredCapabilities } from '../client/versioning/capabilities.ts';
import { missingCapabilityError } from '../era/client-can.ts';
import type { Codec, InputMethod, InputTypes } from '../era/codec.ts';
import { latestLegacyCodec, latestModernCodec } from '../era/codecs.ts';
import type { Era } from '../era/versions.ts';
import { untilAborted } from '../jsonrpc/bounded-waits.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { AuthContext } from '../jsonrpc/transport.ts';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  Root,
} from '../protocol/client-features.ts';
import type { Implementation } from '../protocol/implementation.ts';
import type { LoggingLevel } from '../protocol/logging-levels.ts';
import type { Progress } from '../protocol/progress.ts';
import { assertFitsForm } from '../server/input/elicitation.ts';
import { capabilityOf, type KeyedInputRequest } from '../server/input/input-requests.ts';
import { NO_REPLAY } from '../server/input/replay.ts';
import { ActiveRequest } from '../server/requests/active-request.ts';
import { type CustomRequest, type EraPort, requestNotInEra } from '../server/requests/era-port.ts';
import { HandlerContext } from '../server/requests/handler-context.ts';
import { RequestingClient } from '../server/requests/requesting-client.ts';
import type { InteractiveContext, RequestClient } from '../server/requests/request-context.ts';

/** Properties of the request and the client of a test context. */
export interface TestContextOptions {
  readonly signal?: AbortSignal | undefined;
  readonly era?: Era | undefined;
  readonly clientInfo?: Implementation | undefined;
  readonly meta?: JsonObject | undefined;
  readonly auth?: AuthContext | undefined;
  /**
   * Responds to elicitations; without it the client lacks elicitation. Content that does not fit
   * the form is refused as in a legacy session.
   */
  readonly elicit?:
    | ((key: string, params: ElicitParams) => ElicitResult | Promise<ElicitResult>)
    | undefined;
  /** Responds to sampling requests; without it the client lacks sampling. */
  readonly sample?:
    | ((
        key: string,
        params: CreateMessageParams,
      ) => CreateMessageResult | Promise<CreateMessageResult>)
    | undefined;
  /** Roots of the client; without them the client lacks roots. */
  readonly roots?: readonly Root[] | undefined;
  /**
   * Capabilities declared in addition to the handlers. Default: forms only, without URL
   * elicitation, tools in sampling or extensions.
   */
  readonly capabilities?: Omit<HandlerCapabilities, 'applyDefaults'> | undefined;
}

/** A handler's context that records reports and input requests. */
export interface TestContext extends InteractiveContext {
  readonly progressed: readonly Progress[];
  readonly logged: readonly {
    readonly level: LoggingLevel;
    readonly data: unknown;
    readonly logger: string | undefined;
  }[];
  /** All elicitations and sampling requests, in order. */
  readonly inputRequests: readonly {
    readonly key: string;
    readonly params: ElicitParams | CreateMessageParams;
  }[];
}

const PROGRESS_TOKEN = 'test';

/**
 * Creates the context of a call, which is that of a server: it drops progress that does not
 * increase, and everything after `signal` has aborted. The client declares the capabilities that
 * the options handle, and no others.
 */
export function createTestContext(options: TestContextOptions = {}): TestContext {
  const { signal = new AbortController().signal, meta = {} } = options;
  const port = new TestPort(options);
  const params = { _meta: { ...meta, progressToken: PROGRESS_TOKEN } };
  const request = new ActiveRequest(
    {
      request: { jsonrpc: '2.0', id: 0, method: 'tools/call', params },
      signal,
      get isCancelled() {
        return signal.aborted;
      },
      auth: options.auth,
    },
    port,
    { progressIntervalMs: 0, tool: undefined },
  );
  const context = new HandlerContext(request);
  return {
    progressed: port.progressed,
    logged: port.logged,
    inputRequests: port.inputRequests,
    signal,
    client: context.client,
    meta,
    auth: context.auth,
    progress: context.progress,
    log: context.log,
    notify: context.notify,
    request: context.request,
    elicit: context.elicit,
    sample: context.sample,
    listRoots: context.listRoots,
    gather: context.gather,
    once: context.once,
    startTask: context.startTask,
    closeStream: context.closeStream,
  };
}

/** Responds to the input requests of one type; undefined without a handler. */
type Responders = {
  readonly [M in InputMethod]:
    | ((
        key: string,
        params: InputTypes[M]['params'],
      ) => InputTypes[M]['result'] | Promise<InputTypes[M]['result']>)
    | undefined;
};

/** The port of a legacy or modern client whose input responses come from functions. */
class TestPort implements EraPort {
  readonly progressed: Progress[] = [];
  readonly logged: TestContext['logged'][number][] = [];
  readonly inputRequests: TestContext['inputRequests'][number][] = [];
  readonly codec: Codec;
  readonly client: RequestClient;
  readonly logLevel = 'debug';
  readonly replay = NO_REPLAY;
  readonly isCongested = false;
  readonly #responders: Responders;

  constructor(options: TestContextOptions) {
    const { era = 'legacy', elicit, sample, roots } = options;
    this.codec = era === 'legacy' ? latestLegacyCodec : latestModernCodec;
    this.client = clientOf(this.codec, options);
    this.#responders = {
      'elicitation/create': elicit,
      'sampling/createMessage': sample,
      'roots/list': roots === undefined ? undefined : () => ({ roots }),
    };
  }

  notify(method: string, params: JsonObject): Promise<void> | undefined {
    const progress = method === 'notifications/progress' ? readProgress(params) : undefined;
    if (progress !== undefined) this.progressed.push(progress);
    if (method === 'notifications/message') {
      const { level, data, logger } = readLogEntry(params);
      this.logged.push({ level, data, logger });
    }
    return undefined;
  }

  request(request: CustomRequest): Promise<JsonObject> {
    return Promise.reject(requestNotInEra(request));
  }

  async ask<M extends InputMethod>({
    method,
    key,
    params,
    signal,
  }: KeyedInputRequest<M>): Promise<InputTypes[M]['result']> {
    signal.throwIfAborted();
    const capability = capabilityOf(method, params);
    const respond = this.#responders[method];
    if (respond === undefined || !this.client.can(capability))
      throw missingCapabilityError(capability);
    if (params !== undefined) this.inputRequests.push({ key, params });
    const response = await untilAborted(Promise.resolve(respond(key, params)), signal);
    assertFitsForm(key, params, response);
    return response;
  }

  notifyChange(): void {
    // A handler's context publishes no changes.
  }

  closeStream(): void {
    // The context has no stream.
  }
}

/** Creates a client that declares its capabilities as a real client does. */
function clientOf(
  codec: Codec,
  { clientInfo, capabilities = {}, elicit, sample, roots }: TestContextOptions,
): RequestClient {
  const unused = (): never => {
    throw new Error('The handlers of a test context are not called by a server');
  };
  const handlers = {
    ...(elicit === undefined ? {} : { elicit: unused }),
    ...(sample === undefined ? {} : { sample: unused }),
    ...(roots === undefined ? {} : { listRoots: unused }),
  };
  const declared = declaredCapabilities({
    info: { name: 'test', version: '0' },
    handlers,
    capabilities,
  });
  return new RequestingClient(codec, clientInfo, declared);
}
