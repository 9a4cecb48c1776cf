import { expect, test } from 'vitest';
import { HttpError } from '../../protocol/http-error.ts';
import type { Client } from '../client.ts';
import type { ClientOptions } from '../client-options.ts';
import { connectClient } from '../connect-client.ts';
import {
  initialized,
  ScriptedServer,
  silent,
  type Step,
} from '../testing/scripted-server.test.support.ts';

const empty: Step = () => ({ result: {} });
const sessionLost = new HttpError('gone', { status: 404, headers: {}, isSessionLost: true });

function server(script: { [method: string]: Step } = {}): ScriptedServer {
  const scripted = new ScriptedServer({
    initialize: initialized(),
    'resources/subscribe': empty,
    'resources/unsubscribe': empty,
    'logging/setLevel': empty,
    ...script,
  });
  scripted.hasStreamPerRequest = true;
  return scripted;
}

function connect(
  servers: readonly ScriptedServer[],
  options: Partial<ClientOptions> = {},
): Promise<Client> {
  const waiting = [...servers];
  return connectClient(() => waiting.shift()!, {
    info: { name: 't', version: '0' },
    era: 'legacy',
    ...options,
  });
}

test('a watch that finds its session lost is opened in the new one', async () => {
  const [first, second] = [server({ 'resources/subscribe': silent }), server()];
  const client = await connect([first, second]);
  const heard: string[] = [];
  const watching = client.watch({
    resources: ['file:///a', 'file:///b'],
    onResourceUpdated: (uri) => heard.push(uri),
  });
  for (const count of [1, 2])
    first.fail((await first.receives('resources/subscribe', count)).id!, sessionLost);
  const watch = await watching;
  expect(watch.filter).toEqual({ resourceSubscriptions: ['file:///a', 'file:///b'] });
  expect(second.all('resources/subscribe')).toHaveLength(2);
  second.notify('notifications/resources/updated', { uri: 'file:///a' });
  expect(heard).toEqual(['file:///a']);
});

test('a watch stays in the new session while calls of the lost session continue', async () => {
  const [first, second] = [
    server({ 'resources/unsubscribe': silent, 'logging/setLevel': silent }),
    server(),
  ];
  const client = await connect([first, second]);
  await client.watch({ resources: ['file:///a'] });
  const slow = client.callTool('slow', {});
  const { id } = await first.receives('tools/call');
  const noticing = client.setLogLevel('info');
  first.fail((await first.receives('logging/setLevel')).id!, sessionLost);
  await noticing;
  first.fail((await first.receives('resources/unsubscribe')).id!, sessionLost);
  first.deliver({ id, result: { content: [] } });
  await slow;
  await expect.poll(() => first.isClosed).toBe(true);
  expect(second.received.map(({ method }) => method)).not.toContain('resources/unsubscribe');
});

test('a session that is lost while it is restored is reported without a deadlock', async () => {
  const gone: Step = ({ id }) => {
    second.fail(id!, sessionLost);
    return undefined;
  };
  const [first, second] = [
    server(),
    server({ 'logging/setLevel': gone, 'resources/subscribe': gone }),
  ];
  const problems: Error[] = [];
  const client = await connect([first, second], {
    events: { onProblem: (problem) => problems.push(problem) },
  });
  await client.setLogLevel('info');
  await client.watch({ resources: ['file:///a'] });
  first.crash();
  await client.reconnect();
  expect(problems).toMatchObject([{ message: 'The log level could not be restored' }]);
});

test('a request that is cancelled while a new session is opened does not wait for it', async () => {
  const [first, second] = [server(), server({ initialize: silent })];
  const client = await connect([first, second]);
  const cancellation = new AbortController();
  const list = client.listTools({ signal: cancellation.signal }).catch((error: unknown) => error);
  first.fail((await first.receives('tools/list')).id!, sessionLost);
  await second.receives('initialize');
  cancellation.abort();
  expect(await list).toMatchObject({ code: 'request-cancelled' });
});

test.each(Array.from({ length: 30 }, (_, turns) => turns))(
  'a new connection is closed with its client, however far its opening was (%i turns)',
  async (turns) => {
    const [first, second] = [server(), server({ initialize: silent })];
    const client = await connect([first, second]);
    first.crash();
    const reconnecting = client.reconnect().catch(() => undefined);
    const { id } = await second.receives('initialize');
    second.deliver({ id, ...initialized()({}) });
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    await client.close();
    await reconnecting;
    expect(second.isClosed).toBe(true);
  },
);
