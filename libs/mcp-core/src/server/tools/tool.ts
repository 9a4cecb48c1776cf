import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Icon } from '../../protocol/icons.ts';
import type { JsonSchema, ToolAnnotations } from '../../protocol/tools.ts';
import type { SchemaOutput, StandardSchema } from '../../schema/standard-schema.ts';
import type { InteractiveContext } from '../requests/request-context.ts';
import type { OutputFor, ToolOutput } from './tool-output.ts';

/** Definition of a tool: its listing, its schemas and its handler. */
export interface ToolDefinition<Arguments = never, Output extends ToolOutput = ToolOutput> {
  /** 1 to 128 of `A-Z a-z 0-9 _ - .`, unique in the server. */
  readonly name: string;
  readonly title?: string;
  /** Advice for the model on when and how to use the tool. */
  readonly description?: string;
  /**
   * JSON Schema, or a Standard Schema with a JSON Schema; root type `object`. Arguments are validated before the handler runs. JSON Schema never changes them; a
   * Standard Schema may transform them.
   */
  readonly inputSchema: JsonSchema | StandardSchema;
  /** May have any root type; clients before 2026-07-28 receive a value that is not an object as `{ result }`. A result that does not fit is an internal error. */
  readonly outputSchema?: JsonSchema | StandardSchema;
  /** Whether a call may, or must, become a task; default `never`. The handler decides with `context.startTask()`. */
  readonly task?: 'never' | 'optional' | 'required';
  /** Hints for clients. A tool that is destructive by the defaults of the specification accepts each `requestState` of its input requests once. */
  readonly annotations?: ToolAnnotations;
  /**
   * OAuth scopes that a call needs, not published. A sender with `AuthContext.scopes` that lack one gets 403 with all of them over HTTP, -32600 otherwise; other
   * senders are not limited.
   */
  readonly scopes?: readonly string[];
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
  /**
   * Runs one call; calls run concurrently. Throw `ToolError` for a failure that the model can act on. A `ProtocolError` becomes an `isError` result with its text,
   * except for -32021 in 2026-07-28, -32042 in 2025-11-25, and tasks, where it is a protocol error. Any other error becomes a generic `isError` result and is
   * reported to `ServerEvents.onError`.
   */
  readonly handler: (args: Arguments, context: InteractiveContext) => Promise<Output> | Output;
}

/**
 * Defines a tool. Infers the handler's arguments from the input schema, and its structured content from the output schema. A handler that returns
 * `new Promise(…)` names its type: `new Promise<ToolOutput>(…)`.
 */
export function defineTool<
  const Input extends JsonSchema | StandardSchema,
  const Output extends JsonSchema | StandardSchema | undefined = undefined,
  const Returned extends OutputFor<Output> = OutputFor<Output>,
>(
  tool: Omit<ToolDefinition<SchemaOutput<Input>, Returned>, 'inputSchema' | 'outputSchema'> & {
    readonly inputSchema: Input;
    readonly outputSchema?: Output;
  },
): ToolDefinition {
  // An absent output schema leaves `Output` undefined, which no member holds.
  return tool as ToolDefinition;
}
