import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError, ToolError } from '../protocol/errors.ts';
import type { CallToolResult } from '../protocol/tools.ts';
import { readIdempotencyKey, type IdempotentCalls } from './idempotency.ts';
import { readString } from './read-params.ts';
import type { SchemaValidator } from '../schema/schema-validator.ts';
import type { ServedRequest } from './served-request.ts';
import type { ToolDefinition, ToolOutput } from './tool.ts';
import { shorten } from '../protocol/shorten.ts';

export interface ToolCaller {
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly validator: SchemaValidator;
  readonly calls: IdempotentCalls;
  readonly onError: (error: unknown) => void;
}

/**
 * Serves `tools/call`.
 * @throws ProtocolError -32602 for an unknown tool, arguments that are no object and, before 2025-11-25, arguments that do not fit the schema.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling
 */
export async function callTool(caller: ToolCaller, request: ServedRequest): Promise<CallToolResult> {
  const name = readString(request.params, 'name');
  const tool = caller.tools.get(name);
  if (tool === undefined) throw new ProtocolError(ErrorCode.invalidParams, `Unknown tool: ${shorten(name)}`);
  const { arguments: args = {} } = request.params;
  if (!isJsonObject(args)) throw new ProtocolError(ErrorCode.invalidParams, 'Invalid params: arguments must be an object');
  const key = readIdempotencyKey(request.meta);
  return caller.calls.run({ key, name, args, signal: request.signal }, () => invoke({ caller, tool, args }, request));
}

interface Invocation {
  readonly caller: ToolCaller;
  readonly tool: ToolDefinition;
  readonly args: JsonObject;
}

async function invoke({ caller, tool, args }: Invocation, request: ServedRequest): Promise<CallToolResult> {
  const problems = (await caller.validator.compile(tool.inputSchema))(args);
  if (problems.length > 0) return refuseArguments(`Invalid arguments for ${tool.name}: ${problems.join(' ')}`, request);
  request.signal.throwIfAborted();
  try {
    const result = toResult(await tool.handler(args as never, request));
    await checkOutput(caller, tool, result);
    return result;
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

function toResult(output: ToolOutput): CallToolResult {
  if ('content' in output) return output;
  const { structuredContent, text } = output;
  return { content: [{ type: 'text', text: text ?? JSON.stringify(structuredContent) }], structuredContent };
}

/** @throws Error when the handler broke its own promise. */
async function checkOutput(caller: ToolCaller, tool: ToolDefinition, result: CallToolResult): Promise<void> {
  if (tool.outputSchema === undefined || result.isError === true) return;
  const problems = (await caller.validator.compile(tool.outputSchema))(result.structuredContent);
  if (problems.length > 0) throw new Error(`The result of ${tool.name} does not conform to its output schema: ${problems.join(' ')}`);
}

interface Failure {
  readonly caller: ToolCaller;
  readonly tool: ToolDefinition;
  readonly request: ServedRequest;
}

/** What the model can act on, or what a person may see, is told; anything else only that it failed. */
function failedResult(error: unknown, { caller, tool, request }: Failure): CallToolResult {
  if (error instanceof ToolError) return { ...errorResult(error.message), ...(error.structuredContent === undefined ? {} : { structuredContent: error.structuredContent }) };
  if (error instanceof ProtocolError) {
    if (error.code === ErrorCode.missingClientCapability && request.exchange.codec.hasMissingCapabilityError) throw error;
    return errorResult(error.message);
  }
  if (!request.signal.aborted) caller.onError(error);
  return errorResult(`${tool.name} failed because of an internal error.`);
}

function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
