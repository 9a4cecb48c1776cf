import { describe, expect, test } from 'vitest';
import { ErrorCode } from '../../protocol/errors.ts';
import { echo, heldTool, serve } from './http-peer.test.support.ts';

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

describe('a batch', () => {
  test('gets one array in a session of 2025-03-26', async () => {
    const peer = await serve({ tools: [echo] });
    const session = await peer.initialize('2025-03-26');
    const response = await session.post([
      PING,
      {
        jsonrpc: '2.0',
        id: 'b',
        method: 'tools/call',
        params: { name: 'echo', arguments: { text: 'x' } },
      },
    ]);
    expect(response.headers['content-type']).toBe('application/json');
    expect(JSON.parse((await response.ended) ?? '')).toMatchObject([
      { id: 2, result: {} },
      { id: 'b', result: { content: [{ text: 'x' }] } },
    ]);
  });

  test('of notifications and responses is accepted', async () => {
    const peer = await serve();
    const session = await peer.initialize('2025-03-26');
    expect(
      (
        await session.post([
          { jsonrpc: '2.0', method: 'notifications/initialized' },
          { jsonrpc: '2.0', id: 1, result: {} },
        ])
      ).status,
    ).toBe(202);
  });

  test('whose requests are all cancelled ends without a response', async () => {
    const held = heldTool();
    const peer = await serve({ tools: [held.tool] });
    const session = await peer.initialize('2025-03-26');
    const batch = session.post([
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hold', arguments: {} } },
    ]);
    await held.started;
    await session.post([
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    ]);
    await expect((await batch).ended).resolves.toBeTypeOf('string');
  });

  test('that is too long gets an error for each request', async () => {
    const peer = await serve();
    const session = await peer.initialize('2025-03-26');
    const response = await session.post(Array.from({ length: 101 }, (_, id) => ({ ...PING, id })));
    const answers = JSON.parse((await response.ended) ?? '') as {
      readonly id: number;
      readonly error: { readonly code: number };
    }[];
    expect(answers).toHaveLength(101);
    expect(answers.every(({ error }) => error.code === ErrorCode.invalidRequest)).toBe(true);
  });

  test('with an invalid request gets an error for it', async () => {
    const peer = await serve({ events: { onError: () => undefined } });
    const session = await peer.initialize('2025-03-26');
    const response = await session.post([{ jsonrpc: '2.0', id: 7 }, PING]);
    expect(JSON.parse((await response.ended) ?? '')).toMatchObject([
      { id: 7, error: { code: ErrorCode.invalidRequest } },
      { id: 2, result: {} },
    ]);
  });

  test.each([
    ['without content', '2025-03-26', []],
    ['with initialize', '2025-03-26', [INITIALIZE]],
    ['of a later revision', '2025-06-18', [PING]],
  ])('%s is refused', async (_title, version, batch) => {
    const peer = await serve();
    const session = await peer.initialize(version);
    const response = await session.post(batch);
    expect(response.status).toBe(400);
    expect(JSON.parse((await response.ended) ?? '')).toMatchObject({
      error: { code: ErrorCode.invalidRequest },
    });
  });
});
