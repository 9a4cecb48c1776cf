// The floor: what an echo server costs when nothing but JSON and the pipe is between it and its client.
import { echo, fillers, inputSchema } from '../catalog.mjs';
import { onLines } from './on-lines.mjs';

/**
 * @typedef {{ id?: number, method: string, params?: Params }} Message
 * @typedef {{ name?: string, arguments?: { text?: unknown, notifications?: number }, _meta?: { [key: string]: unknown } }} Params
 */

const tools = [echo, ...fillers].map(({ name, description, fields }) => ({ name, description, inputSchema: inputSchema(fields) }));
const info = { name: 'floor', version: '1.0.0' };
const cache = { ttlMs: 0, cacheScope: 'private' };

onLines(process.stdin, (line) => {
  const { id, method, params = {} } = /** @type {Message} */ (JSON.parse(line));
  if (id === undefined) return;
  const { _meta: meta = {} } = params;
  const isModern = 'io.modelcontextprotocol/protocolVersion' in meta;
  const result = answer(method, params);
  send({ jsonrpc: '2.0', id, result: isModern ? { resultType: 'complete', ...result, _meta: { 'io.modelcontextprotocol/serverInfo': info } } : result });
});

/** @param {string} method @param {Params} params */
function answer(method, params) {
  switch (method) {
    case 'initialize':
      return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: info };
    case 'server/discover':
      return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...cache };
    case 'tools/list':
      return { tools, ...cache };
    case 'tools/call':
      return call(params);
    default:
      return {};
  }
}

/** @param {Params} params */
function call({ name, arguments: args = {}, _meta: meta = {} }) {
  if (name === 'flood') return flood(args.notifications ?? 0, meta.progressToken);
  if (name !== 'echo' || typeof args.text !== 'string') return { content: [{ type: 'text', text: 'text must be a string' }], isError: true };
  return { content: [{ type: 'text', text: args.text }] };
}

/** @param {number} notifications @param {unknown} progressToken */
function flood(notifications, progressToken) {
  for (let progress = 1; progress <= notifications; progress += 1) {
    send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, total: notifications } });
  }
  return { content: [{ type: 'text', text: 'done' }] };
}

/** @param {object} message */
function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
