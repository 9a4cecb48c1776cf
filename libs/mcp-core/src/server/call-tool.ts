import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError, ToolError } from '../protocol/errors.ts';
import type { CallToolResult } from '../protocol/tools.ts';
import type { Catalogue } from './catalogue.ts';
import { readIdempotencyKey, type CreatedTask, type IdempotentCalls } from './idempotency.ts';
import { readString } from './read-params.ts';
import type { ServedRequest } from './served-request.ts';
import type { RegisteredTool } from './tool-table.ts';
import type { ToolOutput } from './tool.ts';
import { shorten } from '../protocol/shorten.ts';

export interface ToolCaller {
  readonly catalogue: Catalogue;
  readonly calls: IdempotentCalls;
  readonly onError: (error: unknown) => void;
}

/**
 * Serves `tools/call`.
 * @throws ProtocolError -32602 for an unknown tool, arguments that are no object and, before 2025-11-25, arguments that do not fit the schema.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling
 */
export function callTool(caller: ToolCaller, request: ServedRequest): Promise<CallToolResult | CreatedTask> {
  const name = readString(request.params, 'name');
  const tool = caller.catalogue.tools?.get(name);
  if (tool === undefined) throw new ProtocolError(ErrorCode.invalidParams, `Unknown tool: ${shorten(name)}`);
  const { arguments: args = {} } = request.params;
  if (!isJsonObject(args)) throw new ProtocolError(ErrorCode.invalidParams, 'Invalid params: arguments must be an object');
  request.tool = tool;
  const key = readIdempotencyKey(request.meta);
  const invocation = { caller, tool, args };
  if (key === undefined) return invoke(invocation, request);
  const call = { key, name, args, request };
  return caller.calls.run(call, () => invoke(invocation, request));
}

interface Invocation {
  readonly caller: ToolCaller;
  readonly tool: RegisteredTool;
  readonly args: JsonObject;
}

async function invoke({ caller, tool, args }: Invocation, request: ServedRequest): Promise<CallToolResult> {
  if (request.requestedTask !== undefined) await request.startTask(request.requestedTask);
  const reading = tool.readArguments(args);
  const { problems, value } = reading instanceof Promise ? await reading : reading;
  if (problems !== undefined) return refuseArguments(`Invalid arguments for ${tool.name}: ${problems.join(' ')}`, request);
  if (request.isAbandoned) request.signal.throwIfAborted();
  try {
    return await toResult(tool, await tool.handler(value as never, request));
  } catch (error) {
    // The client is asked first; this run of the handler has no result to remember.
    if (request.exchange.journal?.isSuspended === true) throw error;
    return failedResult(error, { caller, tool, request });
  }
}

function refuseArguments(text: string, { exchange }: ServedRequest): CallToolResult {
  if (exchange.codec.rejectsBadArguments) throw new ProtocolError(ErrorCode.invalidParams, text);
  return errorResult(text);
}

/** The result as the output schema makes it. @throws Error when the handler broke its own promise. */
async function toResult(tool: RegisteredTool, output: ToolOutput): Promise<CallToolResult> {
  if (tool.readOutput === undefined || ('isError' in output && output.isError)) return completed(output, output.structuredContent);
  const reading = tool.readOutput(output.structuredContent);
  const { problems, value } = reading instanceof Promise ? await reading : reading;
  if (problems !== undefined) throw new Error(`The result of ${tool.name} does not conform to its output schema: ${problems.join(' ')}`);
  return completed(output, value);
}

function completed(output: ToolOutput, structuredContent: unknown): CallToolResult {
  if (!('content' in output)) return { content: [{ type: 'text', text: output.text ?? JSON.stringify(structuredContent) }], structuredContent };
  return structuredContent === output.structuredContent ? output : { ...output, structuredContent };
}

interface Failure {
  readonly caller: ToolCaller;
  readonly tool: RegisteredTool;
  readonly request: ServedRequest;
}

/** What the model can act on, or what a person may see, is told; anything else only that it failed. */
function failedResult(error: unknown, { caller, tool, request }: Failure): CallToolResult {
  if (error instanceof ToolError) return { ...errorResult(error.message), ...(error.structuredContent === undefined ? {} : { structuredContent: error.structuredContent }) };
  if (error instanceof ProtocolError) {
    // The request of a task was answered long ago, so its protocol errors are an end that the client can tell from the tool's own failures.
    if (request.live !== undefined) throw error;
    if (error.code === ErrorCode.missingClientCapability && request.exchange.codec.hasMissingCapabilityError) throw error;
    return errorResult(error.message);
  }
  if (!request.signal.aborted) caller.onError(error);
  return errorResult(`${tool.name} failed because of an internal error.`);
}

function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
