import { expect, test, vi } from 'vitest';
import type { JsonRpcRequest } from '../../jsonrpc/messages.ts';
import { createServer } from '../create-server.ts';
import type { RequestLink } from './request-link.ts';

const link: RequestLink = {
  signal: new AbortController().signal,
  notify: () => Promise.resolve(),
  legacyVersion: '2025-11-25',
};

test('initialize outside a session is answered with a result and nothing else: strict clients refuse a response with more', async () => {
  const server = createServer({ info: { name: 'alone', version: '1' } });
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
  };
  const request: JsonRpcRequest = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  expect(await server.handle(request, link)).toEqual({
    result: {
      protocolVersion: '2025-06-18',
      capabilities: { logging: {} },
      serverInfo: { name: 'alone', version: '1' },
    },
  });
  expect(await server.handle({ ...request, params: {} }, link)).toEqual({
    error: expect.objectContaining({ code: -32602 }) as object,
  });
});

test('the signal of a link that knows whether it is cancelled is created only for handlers that read it', async () => {
  const server = createServer({
    info: { name: 'quick', version: '1' },
    tools: [
      { name: 'quick', description: 'q', inputSchema: { type: 'object' }, handler: () => 'done' },
    ],
  });
  const signal = vi.fn<() => AbortSignal>(() => new AbortController().signal);
  const lazy: RequestLink = {
    ...link,
    isCancelled: false,
    get signal() {
      return signal();
    },
  };
  const params = { name: 'quick' };
  const response = await server.handle(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    lazy,
  );
  expect(response).toHaveProperty('result');
  expect(signal).not.toHaveBeenCalled();
});

test('a call is answered synchronously when its handler returns no promise', async () => {
  const server = createServer({
    info: { name: 'quick', version: '1' },
    tools: [
      { name: 'quick', description: 'q', inputSchema: { type: 'object' }, handler: () => 'done' },
    ],
  });
  const params = { name: 'quick' };
  const request: JsonRpcRequest = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const response = { result: { content: [{ type: 'text', text: 'done' }] } };
  // The first call loads the validator.
  expect(await server.handle(request, link)).toEqual(response);
  expect(server.handle(request, link)).toEqual(response);
});
