import { expect, test } from 'vitest';
import type { Clock } from '../ports/clock.ts';
import { firstConnections } from '../run/calls/servers-ready.ts';
import { FakeServer } from './testing/fake-server.ts';
import { poolOf, statusOf, toolNamed } from './testing/pool-fixture.ts';

const { signal } = new AbortController();

/** Whether a turn of a run with these servers, or all of them, begins without waiting. */
function turnOf(
  pool: Parameters<typeof firstConnections>[0],
  clock: Clock,
  servers?: readonly string[],
): Promise<boolean> {
  return Promise.race([
    firstConnections(pool, servers, { clock, signal }).then(() => true),
    new Promise<boolean>((resolve) => void setImmediate(() => setImmediate(resolve, false))),
  ]);
}

test('a server that hangs while connecting delays the turns of its first 15 seconds only, and no run without it', async () => {
  const hanging = new FakeServer();
  hanging.launchPlan.push('hang');
  const { pool, clock } = poolOf({ hanging, fine: new FakeServer(toolNamed('t')) });
  pool.start();
  await statusOf(pool, 'fine', ({ state }) => state === 'ready');
  const turn = (servers?: readonly string[]): Promise<boolean> => turnOf(pool, clock, servers);
  const first = firstConnections(pool, undefined, { clock, signal });
  expect(await turn()).toBe(false);
  expect(await turn(['fine'])).toBe(true);
  clock.advance(15_000);
  await first;
  expect(await turn()).toBe(true);
});

test('a server that hangs at a later attempt to connect delays no turn', async () => {
  const server = new FakeServer();
  server.launchPlan.push(new Error('no'), 'hang');
  const { pool, clock } = poolOf({ server });
  pool.start();
  await statusOf(pool, 'server', ({ state }) => state === 'failed');
  clock.advance(1000);
  const again = await statusOf(pool, 'server', ({ state }) => state === 'connecting');
  expect(clock.now() - again.since).toBeLessThan(15_000);
  expect(await turnOf(pool, clock)).toBe(true);
});
