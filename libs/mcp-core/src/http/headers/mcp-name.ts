import type { JsonObject } from '../../jsonrpc/messages.ts';

/**
 * What the `Mcp-Name` header of a request repeats from its body, before encoding; `undefined` for methods without the header, and when the body lacks it.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#standard-request-headers
 */
export function mcpNameOf(method: string, params: JsonObject | undefined): string | undefined {
  const name = params?.[sourceField(method)];
  return typeof name === 'string' ? name : undefined;
}

function sourceField(method: string): string {
  switch (method) {
    case 'tools/call':
    case 'prompts/get':
      return 'name';
    case 'resources/read':
      return 'uri';
    case 'tasks/get':
    case 'tasks/update':
    case 'tasks/cancel':
      return 'taskId';
    default:
      return '';
  }
}
