import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Icon } from '../../protocol/icons.ts';
import type { FromSchema } from '../../protocol/json-schema.ts';
import type { CallToolResult, JsonSchema, ToolAnnotations } from '../../protocol/tools.ts';
import type { InputOf, OutputOf, StandardSchema } from '../../schema/standard-schema.ts';
import type { InteractiveContext } from '../requests/request-context.ts';

/** What a handler may return: a whole result, or an object that becomes `structuredContent` and, as JSON, the text. */
export type ToolOutput<Content = unknown> =
  | CallToolResult
  | { readonly structuredContent: Content; readonly text?: string };

export interface ToolDefinition<Arguments = never, Content = unknown> {
  /** 1–128 of `A–Z a–z 0–9 _ - .`, unique in the server. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /**
   * JSON Schema, or a Standard Schema that has one; root type `object`. Validated before the handler runs. JSON Schema leaves the arguments as they came;
   * a Standard Schema may transform them, and the handler gets what it makes of them.
   */
  readonly inputSchema: JsonSchema | StandardSchema;
  /** Of any root type; before 2026-07-28 peers get what is no object wrapped as `{ result }`. A result that does not conform is an internal error. */
  readonly outputSchema?: JsonSchema | StandardSchema;
  /** Whether a call may, or must, go on as a task; default `never`. The handler decides with `context.startTask()`. */
  readonly task?: 'never' | 'optional' | 'required';
  readonly annotations: Required<Omit<ToolAnnotations, 'title'>>;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
  /**
   * Runs one call. Throw `ToolError` for a failure the model can act on. The text of a `ProtocolError` is told the same way, except that a missing client
   * capability is an error of its own in 2026-07-28 and a task ends with it as its error; any other throw becomes a generic `isError` result and goes to `ServerOptions.onError`.
   * Calls run concurrently.
   */
  readonly handler: (
    args: Arguments,
    context: InteractiveContext,
  ) => Promise<ToolOutput<Content>> | ToolOutput<Content>;
}

type AnySchema = JsonSchema | StandardSchema;

/** What a handler gets of arguments that fit the schema. */
export type ArgumentsOf<Schema extends AnySchema> = Schema extends StandardSchema
  ? OutputOf<Schema>
  : FromSchema<Schema>;
/** What a handler may return as `structuredContent`. */
export type ContentOf<Schema extends AnySchema | undefined> = Schema extends StandardSchema
  ? InputOf<Schema>
  : unknown;

/** Types the handler's arguments from the input schema and, with a Standard Schema, its result from the output schema. */
export function defineTool<
  const Input extends AnySchema,
  const Output extends AnySchema | undefined = undefined,
>(
  tool: Omit<
    ToolDefinition<ArgumentsOf<Input>, ContentOf<Output>>,
    'inputSchema' | 'outputSchema'
  > & {
    readonly inputSchema: Input;
    readonly outputSchema?: Output;
  },
): ToolDefinition {
  // An absent output schema leaves `Output` undefined, which no member holds.
  return tool as ToolDefinition;
}
