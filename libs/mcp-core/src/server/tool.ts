import type { CallToolResult, JsonSchema, ToolAnnotations } from '../protocol/tools.ts';
import type { InteractiveContext } from './context.ts';
import type { FromSchema } from '../protocol/json-schema.ts';

/** What a handler may return: a whole result, or an object that becomes `structuredContent` and, as JSON, the text. */
export type ToolOutput = CallToolResult | { readonly structuredContent: unknown; readonly text?: string };

export interface ToolDefinition<Arguments = never> {
  /** 1–128 of `A–Z a–z 0–9 _ - .`, unique in the server. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** Root type `object`. Validated before the handler runs. */
  readonly inputSchema: JsonSchema;
  /** Of any root type; before 2026-07-28 peers get what is no object wrapped as `{ result }`. A result that does not conform is an internal error. */
  readonly outputSchema?: JsonSchema;
  readonly annotations: Required<Omit<ToolAnnotations, 'title'>>;
  /**
   * Runs one call. Throw `ToolError` for a failure the model can act on. The text of a `ProtocolError` is told the same way, except that a missing client
   * capability is an error of its own in 2026-07-28; any other throw becomes a generic `isError` result and goes to `ServerOptions.onError`.
   * Calls run concurrently.
   */
  readonly handler: (args: Arguments, context: InteractiveContext) => Promise<ToolOutput> | ToolOutput;
}

/** Types the handler's arguments from the input schema. */
export function defineTool<const Schema extends JsonSchema>(
  tool: Omit<ToolDefinition<FromSchema<Schema>>, 'inputSchema'> & { readonly inputSchema: Schema },
): ToolDefinition {
  return tool;
}
