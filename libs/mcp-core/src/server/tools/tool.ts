import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Icon } from '../../protocol/icons.ts';
import type { CallToolResult, JsonSchema, ToolAnnotations } from '../../protocol/tools.ts';
import type { InputOf, SchemaOutput, StandardSchema } from '../../schema/standard-schema.ts';
import type { InteractiveContext } from '../requests/request-context.ts';

/** The result of a handler: a complete result, or structured content with an optional text, which is its JSON by default. */
export type ToolOutput<Content = unknown> =
  | CallToolResult
  | { readonly structuredContent: Content; readonly text?: string };

export interface ToolDefinition<Arguments = never, Content = unknown> {
  /** 1–128 of `A–Z a–z 0–9 _ - .`, unique in the server. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /**
   * JSON Schema, or a Standard Schema with a JSON Schema; root type `object`. Arguments are validated before the handler runs. JSON Schema never changes them; a
   * Standard Schema may transform them.
   */
  readonly inputSchema: JsonSchema | StandardSchema;
  /** May have any root type; clients before 2026-07-28 receive a value that is not an object as `{ result }`. A result that does not fit is an internal error. */
  readonly outputSchema?: JsonSchema | StandardSchema;
  /** Whether a call may, or must, become a task; default `never`. The handler decides with `context.startTask()`. */
  readonly task?: 'never' | 'optional' | 'required';
  readonly annotations: Required<Omit<ToolAnnotations, 'title'>>;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
  /**
   * Runs one call; calls run concurrently. Throw `ToolError` for a failure that the model can act on. A `ProtocolError` becomes an `isError` result with its text,
   * except for -32021 in 2026-07-28, -32042 in 2025-11-25, and tasks, where it is a protocol error. Any other error becomes a generic `isError` result and is
   * reported to `ServerOptions.onError`.
   */
  readonly handler: (
    args: Arguments,
    context: InteractiveContext,
  ) => Promise<ToolOutput<Content>> | ToolOutput<Content>;
}

type AnySchema = JsonSchema | StandardSchema;

/** The `structuredContent` that a handler may return for this schema. */
export type ContentOf<Schema extends AnySchema | undefined> = Schema extends StandardSchema
  ? InputOf<Schema>
  : unknown;

/** Defines a tool. Infers the handler's arguments from the input schema and, with a Standard Schema, its result from the output schema. */
export function defineTool<
  const Input extends AnySchema,
  const Output extends AnySchema | undefined = undefined,
>(
  tool: Omit<
    ToolDefinition<SchemaOutput<Input>, ContentOf<Output>>,
    'inputSchema' | 'outputSchema'
  > & {
    readonly inputSchema: Input;
    readonly outputSchema?: Output;
  },
): ToolDefinition {
  // An absent output schema leaves `Output` undefined, which no member holds.
  return tool as ToolDefinition;
}
