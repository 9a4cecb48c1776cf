import { describe, expect, test, vi } from 'vitest';
import { ErrorCode } from '../../protocol/errors.ts';
import { echo, type HttpPeer, serve, toolOf } from './http-peer.test.support.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  },
};

const PING = { jsonrpc: '2.0', id: 2, method: 'ping' };

describe('without sessions', () => {
  const open = (): Promise<HttpPeer> => serve({ tools: [echo] }, { sessions: false });

  test('every legacy request is served alone', async () => {
    const peer = await open();
    const { headers, json } = await peer.exchange({ body: INITIALIZE });
    expect(json).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
    expect(headers).not.toHaveProperty('mcp-session-id');
    expect(
      (await peer.exchange({ body: { jsonrpc: '2.0', method: 'notifications/initialized' } }))
        .status,
    ).toBe(202);
    const body = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: 'x' } },
    };
    expect(
      (await peer.exchange({ headers: { 'mcp-protocol-version': '2025-06-18' }, body })).json,
    ).toEqual({ jsonrpc: '2.0', id: 2, result: { content: [{ type: 'text', text: 'x' }] } });
    expect((await peer.exchange({ headers: { 'mcp-protocol-version': 'x' }, body })).status).toBe(
      400,
    );
    expect(
      (await peer.exchange({ body: { jsonrpc: '2.0', id: 3, method: 'unknown' } })).status,
    ).toBe(200);
  });

  test('GET and DELETE are refused', async () => {
    const peer = await open();
    for (const method of ['GET', 'DELETE']) {
      expect(
        await peer.exchange({ method, headers: { accept: 'text/event-stream' } }),
      ).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    }
  });

  test('capabilities that need a session are not declared', async () => {
    const resources = {
      list: () => Promise.resolve({ resources: [] }),
      read: () => Promise.resolve({ contents: [] }),
      subscribe: () => Promise.resolve(() => undefined),
    };
    const peer = await serve({ tools: [echo], prompts: [], resources }, { sessions: false });
    const { result } = (await peer.exchange({ body: INITIALIZE })).json;
    expect(result).toMatchObject({ capabilities: { tools: {}, prompts: {}, resources: {} } });
    expect(JSON.stringify(result)).not.toMatch(/listChanged|subscribe/u);
  });

  test('modern requests are served as usual', async () => {
    const peer = await open();
    expect((await peer.exchange(peer.modern('tools/list'))).json).toMatchObject({
      result: { resultType: 'complete' },
    });
  });

  test('each request of a batch has a signal of its own', async () => {
    const signals = new Set<AbortSignal>();
    const tool = toolOf('note', (_args, { signal }) => {
      signals.add(signal);
      return { content: [] };
    });
    const peer = await serve({ tools: [tool] }, { sessions: false });
    const call = { method: 'tools/call', params: { name: 'note', arguments: {} } };
    const body = [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, ...call }));
    await peer.exchange({ headers: { 'mcp-protocol-version': '2025-03-26' }, body });
    expect(signals.size).toBe(3);
  });

  test('a result of a batch that cannot be serialized becomes an internal error', async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const peer = await serve(
      { tools: [toolOf('big', () => ({ content: [{ type: 'text', text: 1n as never }] }))] },
      { sessions: false, onError },
    );
    const { json } = await peer.exchange({
      body: [
        PING,
        { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'big', arguments: {} } },
      ],
    });
    expect(json).toMatchObject([
      { id: 2, result: {} },
      { id: 3, error: { code: ErrorCode.internalError } },
    ]);
    expect(onError).toHaveBeenCalledOnce();
    expect((await peer.exchange({ body: Array.from({ length: 101 }, () => PING) })).status).toBe(
      400,
    );
  });

  test('a batch without a version header is served, each request alone', async () => {
    const peer = await open();
    const batch = [
      PING,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 3, method: 'tools/list' },
      { jsonrpc: '2.0', id: 4 },
    ];
    expect((await peer.exchange({ body: batch })).json).toMatchObject([
      { id: 2, result: {} },
      { id: 3, result: {} },
      { id: 4, error: { code: ErrorCode.invalidRequest } },
    ]);
    expect(
      (await peer.exchange({ body: batch, headers: { 'mcp-protocol-version': '2025-06-18' } }))
        .status,
    ).toBe(400);
    expect(
      (await peer.exchange({ body: [{ jsonrpc: '2.0', method: 'notifications/initialized' }] }))
        .status,
    ).toBe(202);
    expect((await peer.exchange({ body: [INITIALIZE] })).status).toBe(400);
  });
});
