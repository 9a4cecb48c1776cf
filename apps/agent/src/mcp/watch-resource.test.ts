import { expect, test } from 'vitest';
import type { ToolCallOutcome, ToolCallRequest } from '../ports/tool-dispatcher.ts';
import { FakeServer } from './testing/fake-server.ts';
import { callRequest, poolOf, toolNamed, type PoolFixture } from './testing/pool-fixture.ts';

interface Fixture extends PoolFixture {
  readonly server: FakeServer;
  readonly watch: (
    args: ToolCallRequest['arguments'],
    rest?: Partial<ToolCallRequest>,
  ) => Promise<ToolCallOutcome>;
  /** Starts a call. Resolves when its subscription is acknowledged. */
  readonly waiting: (
    args: ToolCallRequest['arguments'],
    rest?: Partial<ToolCallRequest>,
  ) => Promise<{ readonly outcome: Promise<ToolCallOutcome> }>;
}

/** A trusted server whose resource `x://a` can be followed. */
async function ready(...followed: readonly string[]): Promise<Fixture> {
  const server = new FakeServer(toolNamed('search'));
  server.hasResources = true;
  server.followed = followed;
  server.features = {
    ...server.features,
    readResource: (uri) => Promise.resolve([{ uri, text: 'contents' }]),
  };
  const fixture = poolOf({ docs: server }, { docs: { trust: true } });
  fixture.pool.start();
  await fixture.pool.settled(1000);
  const watch: Fixture['watch'] = (args, rest = {}) =>
    fixture.pool.call({ ...callRequest('docs__watch_resource', { arguments: args }), ...rest });
  return {
    ...fixture,
    server,
    watch,
    async waiting(args, rest = {}) {
      const acknowledged = Promise.withResolvers<void>();
      const outcome = watch(args, { ...rest, onProgress: () => acknowledged.resolve() });
      await acknowledged.promise;
      return { outcome };
    },
  };
}

const result = (first: string): object => ({
  type: 'result',
  result: {
    content: [
      { type: 'text', text: `${first} Its contents:` },
      { type: 'text', text: 'contents' },
    ],
  },
});

/** Number of subscriptions to a resource. */
const subscriptions = ({ watches }: FakeServer): number =>
  [...watches].filter(({ resources }) => resources !== undefined).length;

test('a model waits for a change of a resource and gets its contents after the change', async () => {
  const { server, waiting } = await ready('x://a');
  const { outcome } = await waiting({ uri: 'x://a' });
  server.changeResource('x://a');
  expect(await outcome).toEqual(result('The resource has changed.'));
  expect(subscriptions(server)).toBe(0);
});

test('without a change the call ends after its seconds, with the contents', async () => {
  const { server, clock, waiting } = await ready('x://a');
  const { outcome } = await waiting({ uri: 'x://a', seconds: 5 });
  clock.advance(5000);
  expect(await outcome).toEqual(result('The resource did not change within 5 s.'));
  expect(subscriptions(server)).toBe(0);
});

test('a cancellation ends the subscription', async () => {
  const { server, waiting } = await ready('x://a');
  const stop = new AbortController();
  const { outcome } = await waiting({ uri: 'x://a' }, { signal: stop.signal });
  expect(subscriptions(server)).toBe(1);
  stop.abort();
  expect(await outcome).toMatchObject({ type: 'cancelled', level: 'delivered' });
  expect(subscriptions(server)).toBe(0);
});

test('a resource that cannot be followed and wrong arguments are errors that the model reads', async () => {
  const { server, watch } = await ready('x://a');
  expect(await watch({ uri: 'x://b' })).toMatchObject({
    type: 'error',
    message: expect.stringContaining('x://b is not a resource that can be followed') as string,
  });
  expect(subscriptions(server)).toBe(0);
  for (const seconds of [0, 601, 1.5, '5'])
    expect(await watch({ uri: 'x://a', seconds })).toMatchObject({
      type: 'result',
      result: {
        isError: true,
        content: [{ text: 'seconds: must be an integer from 1 to 600' }],
      },
    });
});

test('only a server with subscriptions has the tool', async () => {
  const names = ({ pool }: PoolFixture): readonly string[] => pool.tools().map(({ name }) => name);
  expect(names(await ready('x://a'))).toEqual(['read_resource', 'search', 'watch_resource']);
  const server = new FakeServer();
  server.hasResources = true;
  const fixture = poolOf({ docs: server });
  fixture.pool.start();
  await fixture.pool.settled(1000);
  expect(names(fixture)).toEqual(['read_resource']);
});
