import type { JsonObject } from '../../jsonrpc/messages.ts';

/**
 * Returns the unencoded value of a request's `Mcp-Name` header; `undefined` when the method has no
 * such header or the body lacks the value.
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
