import { echo, fillers, flood, inputSchema } from '../catalog.mjs';

/**
 * @typedef {{ id?: number, method: string, params?: Params }} Message
 * @typedef {{ name?: string, arguments?: { text?: unknown, notifications?: number }, _meta?: { [key: string]: unknown } }} Params
 */

const info = { name: 'floor', version: '1.0.0' };
const cache = { ttlMs: 0, cacheScope: 'private' };

/**
 * Answers of the floor's servers, with as little work as possible.
 * @param {number} toolCount
 */
export function createAnswerer(toolCount) {
  const tools = [echo, flood, ...fillers(toolCount)].map(({ name, description, fields }) => ({
    name,
    description,
    inputSchema: inputSchema(fields),
  }));

  /**
   * The answer to a message, `undefined` to a notification.
   * @param {Message} message
   * @param {(notification: object) => void} notify takes what comes before the answer
   */
  return ({ id, method, params = {} }, notify) => {
    if (id === undefined) return undefined;
    const { _meta: meta = {} } = params;
    const isModern = 'io.modelcontextprotocol/protocolVersion' in meta;
    const result = resultOf(method, params, notify);
    return {
      jsonrpc: '2.0',
      id,
      result: isModern
        ? {
            resultType: 'complete',
            ...result,
            _meta: { 'io.modelcontextprotocol/serverInfo': info },
          }
        : result,
    };
  };

  /** @param {string} method @param {Params} params @param {(notification: object) => void} notify */
  function resultOf(method, params, notify) {
    switch (method) {
      case 'initialize':
        return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: info };
      case 'server/discover':
        return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...cache };
      case 'tools/list':
        return { tools, ...cache };
      case 'tools/call':
        return call(params, notify);
      default:
        return {};
    }
  }
}

/** @param {Params} params @param {(notification: object) => void} notify */
function call({ name, arguments: args = {}, _meta: meta = {} }, notify) {
  if (name === 'flood') return report(args.notifications ?? 0, meta.progressToken, notify);
  if (name !== 'echo' || typeof args.text !== 'string')
    return { content: [{ type: 'text', text: 'text must be a string' }], isError: true };
  return { content: [{ type: 'text', text: args.text }] };
}

/** @param {number} notifications @param {unknown} progressToken @param {(notification: object) => void} notify */
function report(notifications, progressToken, notify) {
  for (let progress = 1; progress <= notifications; progress += 1) {
    notify({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken, progress, total: notifications },
    });
  }
  return { content: [{ type: 'text', text: 'done' }] };
}
