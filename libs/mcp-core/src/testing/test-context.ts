import type { JsonObject } from '../jsonrpc/messages.ts';
import type { AuthContext } from '../jsonrpc/transport.ts';
import { declaredCapabilities } from '../client/versioning/capabilities.ts';
import type { HandlerCapabilities } from '../client/input/input-handlers.ts';
import { missingCapabilityError } from '../era/client-can.ts';
import { latestLegacyCodec, latestModernCodec } from '../era/codecs.ts';
import { ErrorCode, ProtocolError } from '../protocol/errors.ts';
import type { Era } from '../era/versions.ts';
import type { Implementation } from '../protocol/implementation.ts';
import type { LoggingLevel } from '../protocol/logging-levels.ts';
import type { Progress } from '../protocol/progress.ts';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  Root,
} from '../protocol/client-features.ts';
import { inputResponseProblems } from '../server/input/elicitation.ts';
import type {
  InteractiveContext,
  InputRequest,
  RequestClient,
} from '../server/requests/request-context.ts';
import { prepareSampling } from '../server/input/sampling.ts';
import { capabilityOf } from '../server/input/input-requests.ts';

export interface TestContextOptions {
  readonly signal?: AbortSignal;
  readonly era?: Era;
  readonly clientInfo?: Implementation;
  readonly meta?: JsonObject;
  readonly auth?: AuthContext;
  /**
   * Responds to elicitations; without it the client lacks elicitation. Content that does not fit
   * the form is refused as in a legacy session.
   */
  readonly elicit?: (key: string, params: ElicitParams) => ElicitResult | Promise<ElicitResult>;
  /** Responds to sampling requests; without it the client lacks sampling. */
  readonly sample?: (
    key: string,
    params: CreateMessageParams,
  ) => CreateMessageResult | Promise<CreateMessageResult>;
  /** Roots of the client; without them the client lacks roots. */
  readonly roots?: readonly Root[];
  /**
   * Capabilities declared in addition to the handlers. Default: forms only, without URL
   * elicitation, tools in sampling or extensions.
   */
  readonly capabilities?: Omit<HandlerCapabilities, 'applyDefaults'>;
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

/**
 * Creates the context of a call. The client declares the capabilities that the options handle, and
 * no others.
 */
export function createTestContext(options: TestContextOptions = {}): TestContext {
  const progressed: Progress[] = [];
  const logged: { level: LoggingLevel; data: unknown; logger: string | undefined }[] = [];
  const inputRequests: { key: string; params: ElicitParams | CreateMessageParams }[] = [];
  const memo = new Map<string, Promise<unknown>>();
  const client = clientOf(options);
  const respond = (key: string, request: InputRequest): Promise<unknown> => {
    if (request.elicit !== undefined) return context.elicit(key, request.elicit);
    return request.sample === undefined ? context.listRoots() : context.sample(key, request.sample);
  };
  const context: TestContext = {
    progressed,
    logged,
    inputRequests,
    signal: options.signal ?? new AbortController().signal,
    client,
    meta: options.meta ?? {},
    auth: options.auth,
    progress: (update) => {
      const last = progressed.at(-1)?.progress ?? -Infinity;
      if (update.progress > last) progressed.push(update);
      return Promise.resolve();
    },
    log: (level, data, logger) => {
      logged.push({ level, data, logger });
    },
    elicit: async (key, params) => {
      const capability = capabilityOf('elicitation/create', params);
      if (options.elicit === undefined || !client.can(capability))
        throw missingCapabilityError(capability);
      inputRequests.push({ key, params });
      const answer = await options.elicit(key, params);
      const problems = inputResponseProblems(params, answer);
      if (problems.length === 0) return answer;
      throw new ProtocolError(
        ErrorCode.invalidParams,
        `The client's answer to "${key}" does not fit its form: ${problems.join(' ')}`,
      );
    },
    sample: async (key, params) => {
      const capability = capabilityOf('sampling/createMessage', params);
      if (options.sample === undefined || !client.can(capability))
        throw missingCapabilityError(capability);
      const sent = prepareSampling(params, client);
      inputRequests.push({ key, params: sent });
      return options.sample(key, sent);
    },
    listRoots: async () => {
      if (options.roots === undefined) throw missingCapabilityError('roots');
      return Promise.resolve(options.roots);
    },
    gather: async (requests) => {
      const answers = Object.entries(requests).map(
        async ([key, request]) => [key, await respond(key, request)] as const,
      );
      return Object.fromEntries(await Promise.all(answers));
    },
    once: <T>(key: string, run: () => T | Promise<T>) => {
      const result = memo.get(key) ?? Promise.resolve().then(run);
      memo.set(key, result);
      return result as Promise<T>;
    },
    startTask: () => Promise.resolve(),
    closeStream: () => undefined,
  };
  return context;
}

/**
 * Creates a client of its era's newest revision that declares its capabilities as a real client
 * does.
 */
function clientOf({
  era = 'legacy',
  clientInfo,
  capabilities = {},
  elicit,
  sample,
  roots,
}: TestContextOptions): RequestClient {
  const codec = era === 'legacy' ? latestLegacyCodec : latestModernCodec;
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
  return { info: clientInfo, era, can: (capability) => codec.can(declared, capability) };
}
