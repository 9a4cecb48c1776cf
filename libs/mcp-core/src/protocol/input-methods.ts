/**
 * The methods that a modern server may answer with `input_required`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#supported-requests
 */
export const METHODS_WITH_INPUT: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
]);
