import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { PROTOCOL_VERSIONS } from '../../era/versions.ts';
import { speak } from '../../testing/speak.test.support.ts';
import { createServer } from '../create-server.ts';
import { definePrompt } from '../prompts/prompt.ts';
import { defineResource, defineResourceTemplate } from '../resources/resource.ts';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const server = createServer({
  info: { name: 'test-server', version: '1' },
  tools: [
    {
      name: 't',
      description: 't',
      inputSchema: { type: 'object' },
      annotations,
      handler: () => ({ content: [] }),
    },
  ],
  prompts: [
    definePrompt({
      name: 'p',
      arguments: [{ name: 'a', complete: () => [] }],
      handler: () => ({ messages: [] }),
    }),
  ],
  resources: [defineResource({ uri: 'r:1', name: 'r', read: () => 'r' })],
  templates: [
    defineResourceTemplate({
      uriTemplate: 'r:{x}',
      name: 'r',
      complete: { x: () => [] },
      read: () => 'r',
    }),
  ],
  settings: { resourceSubscriptions: true },
});

const INVALID: [string, JsonObject][] = [
  ['tools/call', {}],
  ['tools/call', { name: 7 }],
  ['tools/call', { name: 't', arguments: [] }],
  ['tools/call', { name: 't', arguments: 'x' }],
  ['tools/call', { name: 't', arguments: null }],
  ['tools/call', { name: 'constructor' }],
  ['tools/call', { name: '__proto__' }],
  ['tools/call', { name: 't', _meta: { 'dev.signalbox/idempotency-key': 5 } }],
  ['tools/list', { cursor: 7 }],
  ['tools/list', { cursor: {} }],
  ['tools/list', { cursor: 'nonsense' }],
  ['prompts/list', { cursor: 7 }],
  ['prompts/get', {}],
  ['prompts/get', { name: 'constructor' }],
  ['prompts/get', { name: 'p', arguments: { a: 1 } }],
  ['resources/list', { cursor: 7 }],
  ['resources/templates/list', { cursor: false }],
  ['resources/read', {}],
  ['resources/read', { uri: 7 }],
  ['completion/complete', {}],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a' } }],
  ['logging/setLevel', {}],
  ['logging/setLevel', { level: 'loud' }],
  ['logging/setLevel', { level: 3 }],
  ['resources/subscribe', {}],
  ['resources/unsubscribe', { uri: 7 }],
  ['subscriptions/listen', {}],
  ['subscriptions/listen', { notifications: [] }],
  ['subscriptions/listen', { notifications: { toolsListChanged: 'yes' } }],
  ['subscriptions/listen', { notifications: { resourceSubscriptions: 'r:1' } }],
];
const LEGACY_ONLY = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);
const MODERN_ONLY = new Set(['subscriptions/listen', 'server/discover']);

describe.each(PROTOCOL_VERSIONS)('%s', (version) => {
  test.each(INVALID)('%s answers %j with one readable sentence', async (method, params) => {
    const ask = await speak(server, version);
    const { error } = (await ask(method, params)) as { error: { code: number; message: string } };
    const isAbsent = (version === '2026-07-28' ? LEGACY_ONLY : MODERN_ONLY).has(method);
    expect(error.code).toBe(isAbsent ? -32601 : -32602);
    expect(error.message).toMatch(
      isAbsent
        ? /^Method not found: /
        : /^(?:Invalid params: |Unknown (?:tool|prompt): )[^\n{]{1,200}$/u,
    );
  });

  test.each(['nonsense', 'constructor', 'tools', 'server/discover/x', 'tasks/get'])(
    'does not know the method %s',
    async (method) => {
      const ask = await speak(server, version);
      expect(await ask(method, {})).toMatchObject({
        error: { code: -32601, message: `Method not found: ${method}` },
      });
    },
  );
});

test.each(PROTOCOL_VERSIONS.slice(1))(
  '%s: an unknown level is refused with the valid levels',
  async (version) => {
    const ask = await speak(server, version);
    const message =
      'Invalid params: level must be one of debug, info, notice, warning, error, critical, alert, emergency';
    expect(await ask('logging/setLevel', { level: 'loud' })).toMatchObject({
      error: { code: -32602, message },
    });
  },
);
