import type { JsonObject, JsonSchema } from '@signalbox/mcp-core';

/** A synthetic tool with an input schema that APIs refuse or that must be converted. */
export interface ToolShape {
  readonly name: string;
  readonly schema: JsonSchema;
  /** Arguments that match the schema. */
  readonly sample: JsonObject;
  /** Reason why the tool cannot be offered, to any model or to those of one API. */
  readonly dropped?: { readonly reason: string; readonly api?: 'messages' };
}

/** Common arguments of the shapes. */
export interface Subject {
  readonly properties: { readonly [name: string]: JsonSchema };
  readonly sample: JsonObject;
  /** Name of a text argument. */
  readonly text: string;
}

export interface Kind {
  readonly kind: string;
  readonly schema: (subject: Subject) => JsonSchema;
  /** Additional arguments of the shape. */
  readonly sample?: JsonObject;
  readonly dropped?: ToolShape['dropped'];
}

export const object = (properties: JsonObject, rest: JsonObject = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...rest,
});
export const plus = (
  { properties }: Subject,
  more: JsonObject,
  rest: JsonObject = {},
): JsonSchema => object({ ...properties, ...more }, rest);
export const deep = (levels: number): JsonSchema =>
  levels === 0 ? { type: 'string' } : object({ next: deep(levels - 1) });
