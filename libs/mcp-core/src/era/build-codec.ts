import { isJsonObject } from '../jsonrpc/envelope.ts';
import { hasJsonText } from '../jsonrpc/json-text.ts';
import type { JsonObject, JsonRpcErrorObject } from '../jsonrpc/messages.ts';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
} from '../protocol/client-features.ts';
import type { ContentBlock } from '../protocol/content.ts';
import {
  ErrorCode,
  LocalError,
  MODERN_ERROR_CODES,
  ProtocolError,
  ResourceNotFoundError,
} from '../protocol/errors.ts';
import type { Implementation } from '../protocol/implementation.ts';
import type { PromptMessage } from '../protocol/prompts.ts';
import type { DetailedTask } from '../protocol/tasks.ts';
import type { JsonSchema, Tool } from '../protocol/tools.ts';
import { clientCan } from './client-can.ts';
import type { ClientIdentity, Codec, InputMethod, ResultContext } from './codec.ts';
import { decodeResult } from './decode-result.ts';
import { downgradeContent } from './downgrade-content.ts';
import {
  decodeElicitParams,
  decodeElicitResult,
  encodeElicitParams,
  encodeElicitResult,
} from './elicitation-codec.ts';
import { MetaKey, metaOf } from './meta-keys.ts';
import type { Revision } from './revision.ts';
import {
  decodeSamplingParams,
  decodeSamplingResult,
  encodeSamplingParams,
  encodeSamplingResult,
} from './sampling-codec.ts';
import { encodeCreatedTask, encodeTask, encodeTaskCapability, hasTasks } from './task-codec.ts';
import { isWrapped, wrapSchema } from './wrap-structured-content.ts';

/**
 * Methods whose results carry `ttlMs` and `cacheScope`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
const CACHEABLE = new Set([
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
]);

/** Builds the codec that the data of a revision describes. */
export function buildCodec(revision: Revision): Codec {
  return {
    version: revision.version,
    era: revision.era,
    clientRequests: new Set(revision.clientRequests),
    serverRequests: new Set(revision.serverRequests),
    hasBatches: revision.hasBatches,
    hasPrimingEvents: revision.hasPrimingEvents,
    hasCompletionsCapability: revision.hasCompletionsCapability,
    hasErrorsWithoutId: revision.hasErrorsWithoutId,
    rejectsBadArguments: revision.rejectsBadArguments,
    hasMissingCapabilityError: revision.era === 'modern',
    hasUrlElicitationRequired: revision.hasElicitationId,
    tasks: revision.tasks,
    encodeCapabilities: (capabilities, isListed) =>
      encodeTaskCapability(capabilities, revision.tasks, isListed),
    offersTasks: (capabilities) => hasTasks(capabilities, revision.tasks),
    encodeTask: (task) => encodeTaskFor(task, revision),
    can: (capabilities, capability) => clientCan(revision, capabilities, capability),
    encodeResult: (method, result, context) => encodeResult(method, result, { revision, context }),
    encodeError: (error) => encodeError(error, revision),
    encodeInputRequest: (method, params) => encodeInputRequest(method, params, revision),
    // The method decides the type of the response, which a single function body cannot express.
    decodeInputResponse: (method, result) => decodeInputResponse(method, result) as never,
    encodeRequestParams: (params, identity) =>
      revision.era === 'modern' ? withIdentity(params, identity, revision) : params,
    decodeResult: (method, result) => decodeResult(method, result, revision),
    decodeInputRequest: (method, params) => decodeInputRequest(method, params) as never,
    encodeInputResponse: (method, answer) => encodeInputResponse(method, answer, revision),
  };
}

/**
 * Arguments of an encoder. Members of neutral results are cast, not checked: they come from typed
 * handlers.
 */
interface Encoding {
  readonly revision: Revision;
  readonly context: ResultContext;
}

interface Shaping {
  readonly revision: Revision;
  readonly context: Pick<ResultContext, 'outputSchema'>;
}

/** Encodes a result. A result with a `resultType` is not complete and has no other shape. */
function encodeResult(method: string, result: JsonObject, encoding: Encoding): JsonObject {
  // Encoded before, by this codec.
  if (hasJsonText(result)) return result;
  const { revision } = encoding;
  if (result.resultType === 'task')
    return finishTask(
      encodeCreatedTask(result as unknown as DetailedTask, revision.tasks),
      encoding,
    );
  if (result.resultType !== undefined) return stamp(result, encoding);
  if (method === 'tasks/get')
    return finishTask(encodeTaskFor(result as unknown as DetailedTask, revision), encoding);
  return finish(method, encodeShape(method, result, encoding), encoding);
}

function encodeShape(
  method: string,
  result: JsonObject,
  { revision, context }: Shaping,
): JsonObject {
  if (method === 'tools/list')
    return {
      ...result,
      tools: (result.tools as readonly Tool[]).map((tool) => encodeTool(tool, revision)),
    };
  if (method === 'prompts/get')
    return {
      ...result,
      messages: (result.messages as readonly PromptMessage[]).map((message) =>
        encodeMessage(message, revision),
      ),
    };
  if (method.startsWith('tasks/') && revision.tasks === 'core')
    return encodeCoreTasks(method, result, revision);
  if (method !== 'tools/call') return result;
  const content = downgradeContent(result.content as readonly ContentBlock[], revision);
  if (!('structuredContent' in result))
    return content === result.content ? result : { ...result, content };
  const { structuredContent, ...rest } = result;
  return {
    ...rest,
    content,
    ...encodeStructured(structuredContent, context.outputSchema, revision),
  };
}

function encodeTool(tool: Tool, revision: Revision): JsonObject {
  const { outputSchema, task, ...published } = tool;
  const rest =
    task !== undefined && revision.hasToolExecution
      ? { ...published, execution: { taskSupport: task } }
      : published;
  if (outputSchema === undefined || revision.structuredContent === 'none') return rest;
  return {
    ...rest,
    outputSchema:
      revision.structuredContent === 'object' && outputSchema.type !== 'object'
        ? wrapSchema(outputSchema)
        : outputSchema,
  };
}

function encodeMessage({ content, ...message }: PromptMessage, revision: Revision): JsonObject {
  return { ...message, content: downgradeContent([content], revision)[0] };
}

function encodeStructured(
  value: unknown,
  outputSchema: JsonSchema | undefined,
  revision: Revision,
): JsonObject {
  if (revision.structuredContent === 'none') return {};
  return {
    structuredContent:
      revision.structuredContent === 'object' && isWrapped(value, outputSchema)
        ? { result: value }
        : value,
  };
}

/** Encodes a task. The inlined result is not a JSON-RPC result, so it has no `resultType`. */
function encodeTaskFor(task: DetailedTask, revision: Revision): JsonObject {
  const { result, error, inputRequests } = task;
  return encodeTask(task, revision.tasks, {
    ...(result === undefined
      ? {}
      : { result: encodeShape('tools/call', result, { revision, context: {} }) }),
    ...(error === undefined
      ? {}
      : {
          error: {
            ...encodeError(
              new ProtocolError(error.code, error.message, { data: error.data }),
              revision,
            ),
          },
        }),
    ...(inputRequests === undefined
      ? {}
      : { inputRequests: encodeInputRequests(inputRequests, revision) }),
  });
}

function encodeInputRequests(questions: JsonObject, revision: Revision): JsonObject {
  const entries = Object.entries(questions) as [
    string,
    { readonly method: InputMethod; readonly params?: unknown },
  ][];
  return Object.fromEntries(
    entries.map(([key, { method, params }]) => [
      key,
      { method, params: encodeInputRequest(method, params, revision) ?? {} },
    ]),
  );
}

function encodeCoreTasks(method: string, result: JsonObject, revision: Revision): JsonObject {
  if (method === 'tasks/cancel') return encodeTaskFor(result as unknown as DetailedTask, revision);
  return method === 'tasks/list'
    ? {
        ...result,
        tasks: (result.tasks as readonly DetailedTask[]).map((task) =>
          encodeTaskFor(task, revision),
        ),
      }
    : result;
}

function finishTask(task: JsonObject, encoding: Encoding): JsonObject {
  return encoding.revision.era === 'legacy'
    ? task
    : stamp({ resultType: 'complete', ...task }, encoding);
}

function finish(method: string, result: JsonObject, { revision, context }: Encoding): JsonObject {
  if (!CACHEABLE.has(method))
    return revision.era === 'legacy'
      ? result
      : { resultType: 'complete', ...result, _meta: stampedMeta(result, context) };
  const { ttlMs = 0, cacheScope = 'private', ...rest } = result;
  return revision.era === 'legacy'
    ? rest
    : stamp({ resultType: 'complete', ...rest, ttlMs, cacheScope }, { revision, context });
}

function stamp(result: JsonObject, { context }: Encoding): JsonObject {
  return { ...result, _meta: stampedMeta(result, context) };
}

function stampedMeta(result: JsonObject, { serverInfo }: Encoding['context']): JsonObject {
  return '_meta' in result
    ? { ...metaOf(result), [MetaKey.serverInfo]: serverInfo }
    : // Faster than the computed name.
      ({ 'io.modelcontextprotocol/serverInfo': serverInfo } satisfies {
        [MetaKey.serverInfo]: Implementation;
      });
}

function encodeError(error: ProtocolError, revision: Revision): JsonRpcErrorObject {
  const encoded = error.toJSON();
  if (error instanceof ResourceNotFoundError)
    return { ...encoded, code: revision.resourceNotFoundCode };
  if (revision.era === 'legacy' && error.code === ErrorCode.missingClientCapability)
    return { ...encoded, code: ErrorCode.invalidParams };
  return revision.era === 'modern' ? { ...encoded, code: modernCode(error.code) } : encoded;
}

/**
 * Returns the code itself, unless a modern server must not send it.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
 */
function modernCode(code: number): number {
  // The revision replaced -32002 by -32602.
  if (code === ErrorCode.resourceNotFound) return ErrorCode.invalidParams;
  const isReserved = code >= -32099 && code <= -32020 && !MODERN_ERROR_CODES.has(code);
  return isReserved ? ErrorCode.internalError : code;
}

function encodeInputRequest(
  method: InputMethod,
  params: unknown,
  revision: Revision,
): JsonObject | undefined {
  if (method === 'roots/list') return {};
  return method === 'elicitation/create'
    ? encodeElicitParams(params as ElicitParams, revision)
    : encodeSamplingParams(params as CreateMessageParams, revision);
}

function decodeInputResponse(method: InputMethod, result: JsonObject): unknown {
  if (method === 'elicitation/create') return decodeElicitResult(result);
  if (method === 'sampling/createMessage') return decodeSamplingResult(result);
  const isValid =
    Array.isArray(result.roots) &&
    result.roots.every((root) => isJsonObject(root) && typeof root.uri === 'string');
  if (!isValid)
    throw new LocalError(
      'invalid-response',
      'The response to roots/list must be a list of roots, each with a uri',
      { sent: true },
    );
  return { roots: result.roots };
}

function withIdentity(
  params: JsonObject | undefined,
  identity: ClientIdentity,
  revision: Revision,
): JsonObject {
  return {
    ...params,
    _meta: {
      ...metaOf(params),
      [MetaKey.protocolVersion]: revision.version,
      [MetaKey.clientInfo]: identity.info,
      [MetaKey.clientCapabilities]: identity.capabilities,
      ...(identity.logLevel === undefined ? {} : { [MetaKey.logLevel]: identity.logLevel }),
    },
  };
}

function decodeInputRequest(method: InputMethod, params: JsonObject | undefined): unknown {
  if (method === 'roots/list') return undefined;
  return method === 'elicitation/create'
    ? decodeElicitParams(params)
    : decodeSamplingParams(params);
}

function encodeInputResponse(method: InputMethod, answer: unknown, revision: Revision): JsonObject {
  if (method === 'elicitation/create') return encodeElicitResult(answer as ElicitResult, revision);
  if (method === 'sampling/createMessage')
    return encodeSamplingResult(answer as CreateMessageResult, revision);
  return answer as JsonObject;
}
