import type { JsonObject } from '../../jsonrpc/messages.ts';
import { SerializedJson, textBlockOf } from '../../jsonrpc/serialized-json.ts';
import type { FromSchema } from '../../protocol/json-schema.ts';
import type { ContentBlock } from '../../protocol/content.ts';
import type { CallToolResult, JsonSchema } from '../../protocol/tools.ts';
import type { InputOf, StandardSchema } from '../../schema/standard-schema.ts';

/** Content of a result: a string is sent as one text block. */
export type ToolContent = string | readonly ContentBlock[];

/** A result without structured content. */
export interface ContentOutput {
  readonly content: ToolContent;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/** A result with structured content, which is also sent as JSON text unless `content` is given. */
export interface StructuredOutput<Structured = unknown> {
  readonly structuredContent: Structured;
  readonly content?: ToolContent;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/** A failure. Structured content that does not fit the output schema is removed. */
export interface ErrorOutput {
  readonly isError: true;
  readonly content: ToolContent;
  readonly structuredContent?: unknown;
  readonly _meta?: JsonObject;
}

/** The result of a tool's handler: its content alone, or an object as in the specification. */
export type ToolOutput = ToolContent | ContentOutput | StructuredOutput | ErrorOutput;

/** The output of a handler whose tool has this output schema: structured content of the schema's type, or an error. Any output without a schema, and for a schema of the general type. */
export type OutputFor<Schema extends JsonSchema | StandardSchema | undefined> =
  | StructuredOutput<StructuredContentOf<Schema> | SerializedJson>
  | ErrorOutput
  | ([Schema] extends [undefined]
      ? ToolContent | ContentOutput
      : [JsonSchema] extends [Schema]
        ? ToolContent | ContentOutput
        : never);

/** The structured content that a handler returns for this output schema. */
export type StructuredContentOf<Schema extends JsonSchema | StandardSchema | undefined> = [
  Schema,
] extends [undefined]
  ? unknown
  : Schema extends StandardSchema
    ? InputOf<Schema>
    : FromSchema<Schema>;

/** The members of a result that a handler chose. */
export type OutputMembers = Partial<StructuredOutput>;

/** Returns the members of an output; content alone becomes `content`. */
export function membersOf(output: ToolOutput): OutputMembers {
  return typeof output === 'string' || isBlocks(output) ? { content: output } : output;
}

/** Returns the result that clients receive for an output, if its structured content fits the output schema. */
export function toCallToolResult(output: ToolOutput): CallToolResult {
  return resultOf(membersOf(output));
}

export function resultOf(members: OutputMembers): CallToolResult {
  const { content, structuredContent } = members;
  return { ...members, content: blocksOf(content ?? textOf(structuredContent)) };
}

function isBlocks(output: ToolOutput): output is readonly ContentBlock[] {
  return Array.isArray(output);
}

function blocksOf(content: ToolContent): readonly ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function textOf(structuredContent: unknown): ToolContent {
  if (structuredContent instanceof SerializedJson) return [textBlockOf(structuredContent)];
  return structuredContent === undefined ? [] : JSON.stringify(structuredContent);
}
