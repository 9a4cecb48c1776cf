import type { JsonObject } from '../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError } from '../protocol/errors.ts';
import type { Tool } from '../protocol/tools.ts';
import { readCursor } from './read-params.ts';
import type { ToolDefinition } from './tool.ts';

/** How long a client may reuse what does not change while the process lives. */
export const STATIC_CACHE_HINTS = { ttlMs: 60_000, cacheScope: 'public' } as const;

/** All tools by name. @throws Error for a name that is not 1–128 of `A–Z a–z 0–9 _ - .`, or not unique. */
export function indexTools(tools: readonly ToolDefinition[]): ReadonlyMap<string, ToolDefinition> {
  const index = new Map<string, ToolDefinition>();
  for (const tool of tools) {
    if (!/^[\w.-]{1,128}$/u.test(tool.name)) throw new Error(`Invalid tool name ${JSON.stringify(tool.name)}`);
    if (index.has(tool.name)) throw new Error(`Two tools are named ${tool.name}`);
    if (tool.inputSchema.type !== 'object') throw new Error(`The input schema of ${tool.name} must have type "object"`);
    index.set(tool.name, tool);
  }
  return index;
}

/** The published list, sorted by name, on one page. */
export function listTools(tools: ReadonlyMap<string, ToolDefinition>): (params: JsonObject) => JsonObject {
  const published = [...tools.values()].map(publish).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return (params) => {
    const cursor = readCursor(params);
    if (cursor !== undefined && cursor !== '') throw new ProtocolError(ErrorCode.invalidParams, 'Invalid params: unknown cursor');
    return { tools: published, ...STATIC_CACHE_HINTS };
  };
}

function publish({ handler: _handler, ...tool }: ToolDefinition): Tool {
  return tool;
}
