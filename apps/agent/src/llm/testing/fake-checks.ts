import type { JsonObject } from '@signalbox/mcp-core';

/** What both APIs refuse in a tool list, with their words. */
export function toolProblem(tools: readonly { readonly name: string; readonly schema: JsonObject }[]): string | undefined {
  if (tools.length > 128) return `Invalid 'tools': array too long. Expected an array with maximum length 128, but got ${tools.length} instead.`;
  for (const { name, schema } of tools) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return `Invalid 'tools[0].name': string does not match pattern '^[a-zA-Z0-9_-]{1,64}$'.`;
    if (schema['type'] !== 'object' || typeof schema['properties'] !== 'object') return `Invalid schema for function '${name}': object schema missing properties.`;
    const combinator = ['anyOf', 'oneOf', 'allOf', 'not', 'enum'].find((key) => key in schema);
    if (combinator !== undefined) return `Invalid schema for function '${name}': schema must not have '${combinator}' at the top level.`;
    const problem = nodeProblem(schema);
    if (problem !== undefined) return `Invalid schema for function '${name}': ${problem}.`;
  }
  return undefined;
}

export function imageProblem(mimeType: string, base64: string): string | undefined {
  const starts: { readonly [type: string]: string } = { 'image/png': 'iVBOR', 'image/jpeg': '/9j/', 'image/gif': 'R0lGOD', 'image/webp': 'UklGR' };
  const start = starts[mimeType];
  return start !== undefined && base64.startsWith(start) ? undefined : `Image does not match the provided media type ${mimeType}`;
}

function nodeProblem(node: unknown): string | undefined {
  if (Array.isArray(node)) return node.map(nodeProblem).find((problem) => problem !== undefined);
  if (typeof node !== 'object' || node === null) return undefined;
  const { type, items, additionalProperties } = node as JsonObject; // any object has properties by name
  if (type === 'any') return "'any' is not valid under any of the given schemas";
  if ((type === 'array' || (Array.isArray(type) && type.includes('array'))) && (typeof items !== 'object' || Array.isArray(items))) return 'array schema missing items';
  if (typeof additionalProperties === 'string') return 'additionalProperties must be a boolean or an object';
  return nodeProblem(Object.values(node));
}
