import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { metaOf } from '../../era/meta-keys.ts';
import type { ElicitParams, ElicitResult } from '../../protocol/client-features.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Client } from '../client.ts';
import type { ClientOptions } from '../client-options.ts';
import { connectClient } from '../connect-client.ts';
import type { InputContext } from './input-handlers.ts';
import { initialized, ScriptedServer, type Step } from '../testing/scripted-server.test.support.ts';

const done = { content: [{ type: 'text', text: 'done' }] };
const visit = (name: string) => ({
  mode: 'url',
  elicitationId: name,
  url: `https://example.org/${name}`,
  message: `visit ${name}`,
});
const refusal =
  (...elicitations: readonly unknown[]): Step =>
  () => ({ error: { code: -32042, message: 'visit first', data: { elicitations } } });

interface Connected {
  readonly client: Client;
  readonly server: ScriptedServer;
  readonly asked: readonly (readonly [ElicitParams, InputContext])[];
}

/** A server that answers the calls of a tool one after the other. */
async function connect(
  answers: readonly Step[],
  elicit: (params: ElicitParams) => ElicitResult | Promise<ElicitResult>,
  {
    version = '2025-11-25',
    ...options
  }: Partial<ClientOptions> & { readonly version?: string } = {},
): Promise<Connected> {
  const asked: [ElicitParams, InputContext][] = [];
  const left = [...answers];
  const server = new ScriptedServer({
    initialize: initialized(version),
    'tools/call': (request) => left.shift()!(request),
  });
  const handlers = {
    elicit: async (params: ElicitParams, context: InputContext) => {
      asked.push([params, context]);
      return elicit(params);
    },
  };
  const client = await connectClient(() => server, {
    info: { name: 't', version: '0' },
    era: 'legacy',
    handlers,
    capabilities: { elicitationUrl: true },
    ...options,
  });
  return { client, server, asked };
}

const accept = (): ElicitResult => ({ action: 'accept' });

describe('a server that requires URL elicitation', () => {
  test('receives the request again when the user accepted all URLs', async () => {
    const meta = { key: 'k' };
    const { client, server, asked } = await connect(
      [refusal(visit('a'), visit('b')), () => ({ result: done })],
      accept,
    );
    expect(await client.callTool('pay', { amount: 1 }, { meta })).toEqual(done);
    expect(asked.map(([params]) => params)).toEqual([visit('a'), visit('b')]);
    expect(asked[0]![1]).toMatchObject({ request: { method: 'tools/call', name: 'pay', meta } });
    expect(asked[0]![1]).not.toHaveProperty('key');
    const calls = server
      .all('tools/call')
      .map(({ params }) => [params!.name, params!.arguments, metaOf(params)]);
    expect(calls).toHaveLength(2);
    expect(calls[1]).toEqual([calls[0]![0], calls[0]![1], expect.objectContaining(meta)]);
  });

  test.each(['decline', 'cancel'] as const)(
    'does not receive the request again when the user answers %s to one URL',
    async (action) => {
      const { client, server } = await connect([refusal(visit('a'), visit('b'))], (params) =>
        params.message === 'visit b' ? { action } : accept(),
      );
      await expect(client.callTool('pay', {})).rejects.toMatchObject({
        code: -32042,
        message: 'visit first',
      });
      expect(server.all('tools/call')).toHaveLength(1);
    },
  );

  test('and refuses again receives the request once more when it announces that all elicitations are complete', async () => {
    const answers = [
      refusal(visit('a'), visit('b')),
      refusal(visit('b')),
      () => ({ result: done }),
    ];
    const { client, server, asked } = await connect(answers, accept);
    const call = client.callTool('pay', {});
    await server.receives('tools/call', 2);
    for (const elicitationId of ['unknown', 'a', 'a'])
      server.notify('notifications/elicitation/complete', { elicitationId });
    await new Promise(setImmediate);
    expect(server.all('tools/call')).toHaveLength(2);
    server.notify('notifications/elicitation/complete', { elicitationId: 'b' });
    expect(await call).toEqual(done);
    expect([asked.length, server.all('tools/call').length]).toEqual([2, 3]);
  });

  test('and announced completion before the user accepted is not waited for', async () => {
    const connected: { server?: ScriptedServer } = {};
    const answers = [refusal(visit('a')), refusal(visit('a')), () => ({ result: done })];
    const { client, server } = await connect(answers, () => {
      connected.server?.notify('notifications/elicitation/complete', { elicitationId: 'a' });
      return accept();
    });
    connected.server = server;
    expect(await client.callTool('pay', {})).toEqual(done);
  });

  test('and refuses after completion fails the call', async () => {
    const answers = [refusal(visit('a')), refusal(visit('a')), refusal(visit('a'))];
    const { client, server, asked } = await connect(answers, accept);
    const call = client.callTool('pay', {});
    await server.receives('tools/call', 2);
    server.notify('notifications/elicitation/complete', { elicitationId: 'a' });
    await expect(call).rejects.toMatchObject({ code: -32042 });
    expect([asked.length, server.all('tools/call').length]).toEqual([1, 3]);
  });

  test.each([
    ['announces nothing within the time limit', visit('a'), { timeoutMs: 20 }],
    [
      'names no id that it could announce',
      { ...visit('a'), elicitationId: undefined },
      { timeoutMs: 20 },
    ],
  ])('and refuses again and %s fails the call', async (_title, asked, options) => {
    const { client, server } = await connect([refusal(asked), refusal(asked)], accept);
    await expect(client.callTool('pay', {}, options)).rejects.toMatchObject({ code: -32042 });
    expect(server.all('tools/call')).toHaveLength(2);
  });

  test('and refuses again is not waited for when the call is cancelled', async () => {
    const stop = new AbortController();
    const { client, server } = await connect([refusal(visit('a')), refusal(visit('a'))], accept);
    const call = client.callTool('pay', {}, { signal: stop.signal });
    await server.receives('tools/call', 2);
    await new Promise(setImmediate);
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: 'request-cancelled' });
  });

  test.each<[string, Step]>([
    ['none', refusal()],
    ['a form', refusal({ message: 'Name?', requestedSchema: { type: 'object', properties: {} } })],
    ['nonsense', () => ({ error: { code: -32042, message: 'visit first', data: 'x' } })],
  ])('and names %s fails the call', async (_name, answer) => {
    const { client, asked } = await connect([answer], accept);
    await expect(client.callTool('pay', {})).rejects.toMatchObject({ code: -32042 });
    expect(asked).toEqual([]);
  });

  test.each<[string, Partial<ClientOptions> & { readonly version?: string }]>([
    ['a client that did not declare it', { capabilities: {} }],
    ['a revision that does not have it', { version: '2025-06-18' }],
  ])('fails the call %s', async (_name, options) => {
    const { client, asked } = await connect([refusal(visit('a'))], accept, options);
    await expect(client.callTool('pay', {})).rejects.toMatchObject({ code: -32042 });
    expect(asked).toEqual([]);
  });

  test('receives nothing more when the host refuses or the call is cancelled', async () => {
    const refuse = (): never => {
      throw new ProtocolError(-1, 'no person is here');
    };
    const refused = await connect([refusal(visit('a'))], refuse);
    await expect(refused.client.callTool('pay', {})).rejects.toMatchObject({
      code: 'input-refused',
    });
    const stop = new AbortController();
    const cancelled = await connect([refusal(visit('a'))], () => {
      stop.abort();
      return new Promise<never>(() => undefined);
    });
    await expect(
      cancelled.client.callTool('pay', {}, { signal: stop.signal }),
    ).rejects.toMatchObject({ code: 'request-cancelled' });
    expect([refused, cancelled].map(({ server }) => server.all('tools/call').length)).toEqual([
      1, 1,
    ]);
  });

  test('has the rest of the time limit: the time of the user does not count', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const late = (): ReturnType<Step> => {
      vi.advanceTimersByTime(500);
      return { result: done };
    };
    const { client } = await connect([refusal(visit('a')), late], () => {
      vi.advanceTimersByTime(3_600_000);
      return accept();
    });
    expect(await client.callTool('pay', {}, { timeoutMs: 1000, maxTotalMs: 1000 })).toEqual(done);
  });
});
