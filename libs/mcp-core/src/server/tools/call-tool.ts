import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { SerializedJson } from '../../jsonrpc/serialized-json.ts';
import { ErrorCode, ProtocolError, ToolError, shorten } from '../../protocol/errors.ts';
import { missingScopes } from '../../protocol/scopes.ts';
import type { CallToolResult } from '../../protocol/tools.ts';
import { listsUrlElicitations } from '../input/elicitation.ts';
import { readIdempotencyKey, type CreatedTask, type IdempotentCalls } from './idempotent-calls.ts';
import { readString } from '../requests/read-params.ts';
import type { ActiveRequest } from '../requests/active-request.ts';
import { HandlerContext } from '../requests/handler-context.ts';
import type { RegisteredTool } from './tool-table.ts';
import { membersOf, resultOf, type OutputMembers, type ToolOutput } from './tool-output.ts';
import type { Reading } from '../../schema/value-reader.ts';

export interface ToolCaller {
  readonly calls: IdempotentCalls;
  readonly onError: (error: unknown) => void;
}

/**
 * Serves `tools/call`.
 * @throws ProtocolError -32602 for an unknown tool, arguments that are not an object and, before 2025-11-25, arguments that do not fit the schema; -32600 for a
 * sender without the scopes of the tool.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling
 */
export function callTool(
  caller: ToolCaller,
  request: ActiveRequest,
): CallToolResult | Promise<CallToolResult | CreatedTask> {
  const { tool } = request;
  const name = readString(request.params, 'name');
  if (tool === undefined)
    throw new ProtocolError(ErrorCode.invalidParams, `Unknown tool: ${shorten(name)}`);
  checkScopes(tool, request);
  const { arguments: args = {} } = request.params;
  if (!isJsonObject(args))
    throw new ProtocolError(ErrorCode.invalidParams, 'Invalid params: arguments must be an object');
  const key = readIdempotencyKey(request.meta);
  const invocation = { caller, tool, args };
  if (key === undefined) return invoke(invocation, request);
  const call = { key, name, args, request };
  return caller.calls.run(call, async () => invoke(invocation, request));
}

/** Refuses a call that no transport has refused, such as one that a middleware redirected to the tool. */
function checkScopes({ name, scopes }: RegisteredTool, { auth }: ActiveRequest): void {
  if (scopes === undefined || auth?.scopes === undefined) return;
  if (missingScopes(scopes, auth.scopes).length > 0)
    throw new ProtocolError(
      ErrorCode.invalidRequest,
      `Insufficient scope: ${name} needs ${scopes.join(' ')}`,
    );
}

interface Invocation extends Invoked {
  readonly args: JsonObject;
}

function invoke(
  invocation: Invocation,
  request: ActiveRequest,
): CallToolResult | Promise<CallToolResult> {
  const { replay } = request.port;
  const consuming = replay.isPossible ? replay.consumeState() : undefined;
  return consuming === undefined && request.requestedTask === undefined
    ? readAndRun(invocation, request)
    : invokeLater(invocation, request, consuming);
}

async function invokeLater(
  invocation: Invocation,
  request: ActiveRequest,
  consuming: Promise<void> | undefined,
): Promise<CallToolResult> {
  await consuming;
  if (request.requestedTask !== undefined) await request.startTask(request.requestedTask);
  return readAndRun(invocation, request);
}

function readAndRun(
  invocation: Invocation,
  request: ActiveRequest,
): CallToolResult | Promise<CallToolResult> {
  const reading = invocation.tool.readArguments(invocation.args);
  return reading instanceof Promise
    ? reading.then((args) => run(invocation, request, args))
    : run(invocation, request, reading);
}

/** Runs the handler. Returns the result at once when the handler does. */
function run(
  invoked: Invoked,
  request: ActiveRequest,
  { problems, value }: Reading,
): CallToolResult | Promise<CallToolResult> {
  const { tool } = invoked;
  if (problems !== undefined)
    return refuseArguments(`Invalid arguments for ${tool.name}: ${problems.join(' ')}`, request);
  if (request.isAbandoned) request.signal.throwIfAborted();
  try {
    const output = tool.handler(value as never, new HandlerContext(request));
    const result = isPromiseLike(output)
      ? toResultLater(output, invoked)
      : toResult(output, invoked);
    return result instanceof Promise
      ? result.catch((error: unknown) => toFailure(error, invoked, request))
      : result;
  } catch (error) {
    return toFailure(error, invoked, request);
  }
}

function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

function refuseArguments(text: string, { port }: ActiveRequest): CallToolResult {
  if (port.codec.rejectsBadArguments) throw new ProtocolError(ErrorCode.invalidParams, text);
  return errorResult(text);
}

interface Invoked {
  readonly caller: ToolCaller;
  readonly tool: RegisteredTool;
}

async function toResultLater(
  output: PromiseLike<ToolOutput>,
  invoked: Invoked,
): Promise<CallToolResult> {
  return toResult(await output, invoked);
}

/** Returns the result, with structured content as the output schema transforms it. @throws Error when the content does not fit the schema */
function toResult(
  output: ToolOutput,
  { tool, caller }: Invoked,
): CallToolResult | Promise<CallToolResult> {
  const members = membersOf(output);
  const isTrusted = members.structuredContent instanceof SerializedJson;
  if (tool.readOutput === undefined || isTrusted) return resultOf(members);
  if (members.isError === true)
    return withFittingContent(resultOf(members), { onError: caller.onError, tool });
  const reading = tool.readOutput(members.structuredContent);
  return reading instanceof Promise
    ? reading.then((validated) => withStructure(members, validated, tool))
    : withStructure(members, reading, tool);
}

function withStructure(
  members: OutputMembers,
  { problems, value }: Reading,
  { name }: RegisteredTool,
): CallToolResult {
  if (problems !== undefined)
    throw new Error(
      `The result of ${name} does not conform to its output schema: ${problems.join(' ')}`,
    );
  return resultOf({ ...members, structuredContent: value });
}

/**
 * Removes structured content that does not fit the output schema from an error result: some clients validate error results as well, and would report that
 * failure instead of this error.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema
 */
async function withFittingContent(
  result: CallToolResult,
  {
    onError,
    tool,
  }: { readonly onError: (error: unknown) => void; readonly tool: RegisteredTool | undefined },
): Promise<CallToolResult> {
  const { structuredContent, ...rest } = result;
  if (structuredContent === undefined || tool?.readOutput === undefined) return result;
  const { problems } = await tool.readOutput(structuredContent);
  if (problems === undefined) return result;
  onError(
    new Error(
      `The structured content of an error of ${tool.name} was removed, because it does not fit the output schema: ${problems.join(' ')}`,
    ),
  );
  return rest;
}

interface Failure extends Invoked {
  readonly request: ActiveRequest;
}

/** Returns the error result of a failed handler, with content that fits the output schema. */
async function toFailure(
  error: unknown,
  { caller, tool }: Invoked,
  request: ActiveRequest,
): Promise<CallToolResult> {
  // A suspended handler has no result yet.
  if (request.port.replay.isSuspended) throw error;
  return withFittingContent(failedResult(error, { caller, tool, request }), {
    onError: caller.onError,
    tool,
  });
}

/** Returns the error result of a failed handler. Only the texts of ToolError and ProtocolError reach the client. */
function failedResult(error: unknown, { caller, tool, request }: Failure): CallToolResult {
  if (error instanceof ToolError) return toolErrorResult(error);
  if (error instanceof ProtocolError) {
    // A protocol error of a task becomes its error, which the client can distinguish from a failure of the tool.
    if (request.isTask) throw error;
    const { codec, client } = request.port;
    if (error.code === ErrorCode.missingClientCapability && codec.hasMissingCapabilityError)
      throw error;
    if (
      error.code === ErrorCode.urlElicitationRequired &&
      codec.hasUrlElicitationRequired &&
      client.can('elicitation.url')
    ) {
      if (listsUrlElicitations(error)) throw error;
      caller.onError(
        new Error(
          `${tool.name} threw the error code ${error.code} without a list of URL elicitations in data.elicitations`,
          { cause: error },
        ),
      );
    }
    return errorResult(error.message);
  }
  if (!request.signal.aborted) caller.onError(error);
  return errorResult(`${tool.name} failed because of an internal error.`);
}

/** Returns the error result for a `ToolError` that a middleware threw. */
export function toolErrorOf(
  error: ToolError,
  { tool, onError }: Pick<ToolCaller, 'onError'> & { readonly tool: RegisteredTool | undefined },
): Promise<CallToolResult> {
  return withFittingContent(toolErrorResult(error), { onError, tool });
}

function toolErrorResult({ message, structuredContent, meta }: ToolError): CallToolResult {
  return {
    ...errorResult(message),
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
