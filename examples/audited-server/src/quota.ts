import { ProtocolError, ToolError } from '@signalbox/mcp-core';
import type { ServerMiddleware } from '@signalbox/mcp-core/server';
import { callerOf } from './audit-log.ts';

/** Error code of a prompt or resource that is refused because the quota is used up. */
export const QUOTA_EXCEEDED = -32010;

const COUNTED = new Set(['tools/call', 'prompts/get', 'resources/read']);

/**
 * Refuses a caller's tool calls, prompts and resources after `requests` of them. A call that needs
 * several rounds of input counts once.
 */
export function quota({ requests }: { readonly requests: number }): ServerMiddleware {
  const used = new Map<string, number>();
  return async ({ method, context }, next) => {
    if (!COUNTED.has(method)) return next();
    const caller = callerOf(context);
    const number = await context.once('acme/quota', () => {
      const count = (used.get(caller) ?? 0) + 1;
      used.set(caller, count);
      return count;
    });
    if (number <= requests) return next();
    const message = `The quota of ${String(requests)} requests is used up. Try again tomorrow.`;
    throw method === 'tools/call'
      ? new ToolError(message)
      : new ProtocolError(QUOTA_EXCEEDED, message, { data: { requests } });
  };
}
