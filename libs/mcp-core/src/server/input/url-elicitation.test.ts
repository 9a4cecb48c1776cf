import { describe, expect, test } from 'vitest';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import { connectInMemory } from '../../testing/connect-in-memory.ts';
import { connectRaw, initialize, type RawClient } from '../../testing/raw-client.test.support.ts';
import { createServer } from '../create-server.ts';
import type { Server } from '../server.ts';
import type { ToolDefinition } from '../tools/tool.ts';

const info = { name: 'test', version: '1' };
const URL_CLIENT = { elicitation: { url: {} } };
const COMPLETE = 'notifications/elicitation/complete';

function serverOf(handler: ToolDefinition['handler']): Server {
  const description = 'Asks the user to visit a page.';
  const tool = { name: 'visit', description, inputSchema: { type: 'object' }, handler } as const;
  return createServer({ info, tools: [tool] });
}

const asking = (): Server =>
  serverOf(async (_args, { elicit }) => {
    const url = 'https://example.org/a';
    await elicit('page', { mode: 'url', message: 'Visit', url, elicitationId: 'e1' });
    return 'asked';
  });

async function open(server: Server, version = '2025-11-25'): Promise<RawClient> {
  const client = await connectRaw(server);
  await initialize(client, version, URL_CLIENT);
  return client;
}

const completions = ({ received }: RawClient): unknown[] =>
  received.filter((message) => (message as { method?: string }).method === COMPLETE);

const call = (client: RawClient) =>
  client.request(1, 'tools/call', { name: 'visit', arguments: {} });

describe('the completion of a URL elicitation', () => {
  test('is sent once, and only to the client that was asked', async () => {
    const server = asking();
    const [asked, other] = [await open(server), await open(server)];
    const calling = call(asked);
    const { id } = await asked.find(({ method }) => method === 'elicitation/create');
    asked.send({ jsonrpc: '2.0', id, result: { action: 'accept' } });
    await calling;
    expect(server.completeElicitation('e2')).toBe(false);
    expect(server.completeElicitation('e1')).toBe(true);
    expect(server.completeElicitation('e1')).toBe(false);
    await Promise.all([asked.settled(), other.settled()]);
    expect(completions(asked)).toEqual([
      { jsonrpc: '2.0', method: COMPLETE, params: { elicitationId: 'e1' } },
    ]);
    expect(completions(other)).toEqual([]);
  });

  test('is sent after an error that asks the user to visit URLs first', async () => {
    const elicitations = ['e1', 'e2'].map((elicitationId) => ({
      mode: 'url',
      message: 'Visit',
      url: 'https://example.org',
      elicitationId,
    }));
    const server = serverOf(() => {
      throw new ProtocolError(ErrorCode.urlElicitationRequired, 'Visit first', {
        data: { elicitations },
      });
    });
    const client = await open(server);
    expect(await call(client)).toMatchObject({ error: { code: -32042 } });
    expect(['e1', 'e2', 'e3'].map((id) => server.completeElicitation(id))).toEqual([
      true,
      true,
      false,
    ]);
    await client.settled();
    expect(completions(client)).toHaveLength(2);
  });

  test('reaches the callback of a client', async () => {
    const server = asking();
    const completed = Promise.withResolvers<string>();
    const client = await connectInMemory(server, {
      info,
      era: 'legacy',
      handlers: {
        elicit: () => {
          server.completeElicitation('e1');
          return Promise.resolve({ action: 'accept' });
        },
      },
      capabilities: { elicitationUrl: true },
      events: { onElicitationComplete: completed.resolve },
    });
    await client.callTool('visit', {});
    expect(await completed.promise).toBe('e1');
    await client.close();
  });

  test('is not sent in 2026-07-28, which has no ids', async () => {
    const server = asking();
    const client = await connectInMemory(server, {
      info,
      era: 'modern',
      handlers: { elicit: () => Promise.resolve({ action: 'accept' }) },
      capabilities: { elicitationUrl: true },
    });
    await client.callTool('visit', {});
    expect(server.completeElicitation('e1')).toBe(false);
    await client.close();
  });
});
