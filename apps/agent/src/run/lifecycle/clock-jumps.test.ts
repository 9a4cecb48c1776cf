import { describe, expect, test } from 'vitest';
import type { ToolDispatcher } from '../../ports/tool-dispatcher.ts';
import { firstConnections } from '../calls/servers-ready.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, type FakeTool } from '../testing/fake-registry.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { openService } from '../testing/service.ts';

const YEAR_MS = 365 * 86_400_000;

// A clock that was set forward cannot be told from a machine that slept: the time of a run that was under way is over.
describe.each([
  ['back', -YEAR_MS, { status: 'completed', answer: 'all done' }],
  ['forward', YEAR_MS, { status: 'expired', statusReason: 'wall_clock_limit' }],
])('the clock is set %s by a year', (_way, byMs, end) => {
  test('during a call: its progress is stored as before, and the run ends with its events in order', async () => {
    const held = Promise.withResolvers<void>();
    const moved = Promise.withResolvers<void>();
    const slow: FakeTool = {
      annotations: READ_ONLY,
      call: async ({ onProgress }) => {
        onProgress({ progress: 1 });
        await moved.promise;
        onProgress({ progress: 2 });
        await held.promise;
        return ok('done');
      },
    };
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__slow' }]], 'all done'),
      tools: { a__slow: slow },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.event(id, 'tool_call.progress');
    service.clock.adjust(byMs);
    moved.resolve();
    const progress = await service.until(async () => {
      const stored = (await service.events(id)).filter(({ type }) => type === 'tool_call.progress');
      return stored.length === 2 ? stored : undefined;
    });
    expect(progress.map(({ data }) => data['progress'])).toEqual([1, 2]);
    held.resolve();
    expect(await service.settled(id)).toMatchObject(end);
    const events = await service.events(id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
  });

  test('while an inbox item is open: the response is accepted, and the remaining time of the run is unchanged', async () => {
    const slow: FakeTool = {
      annotations: READ_ONLY,
      call: ({ signal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () =>
            resolve({ type: 'cancelled', level: 'confirmed' }),
          ),
        ),
    };
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__write' }], [{ name: 'a__slow' }]]),
      tools: { a__write: { call: () => Promise.resolve(ok('')) }, a__slow: slow },
    });
    const { id } = await service.engine.createRun({ prompt: 'go', limits: { wallClockMs: 1000 } });
    const item = await service.item(id);
    await service.status(id, 'input_required');
    service.clock.adjust(byMs);
    await service.engine.respond(item.id, { action: 'approve' });
    await service.until(async () => service.registry.sent[1]);
    service.clock.advance(999);
    expect((await service.read.run(id))?.status).toBe('running');
    service.clock.advance(1);
    expect(await service.settled(id)).toMatchObject({
      status: 'expired',
      statusReason: 'wall_clock_limit',
    });
  });

  test('while the service is down: a run that waited for its first turn starts it', async () => {
    const service = await openService({ script: () => ({ text: 'hi' }), isStarted: false });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.kill();
    service.clock.adjust(byMs);
    const next = await openService({
      script: () => ({ text: 'hi' }),
      dataDir: service.dataDir,
      clock: service.clock,
    });
    expect(await next.settled(id)).toMatchObject({ status: 'completed' });
  });
});

test('the wait for a connecting server is not longer when the clock was set back', async () => {
  const clock = new ManualClock();
  const waits: number[] = [];
  const registry: Partial<ToolDispatcher> = {
    servers: () => [
      { name: 'a', state: 'connecting', restarts: 0, since: clock.now() + YEAR_MS } as ReturnType<
        ToolDispatcher['servers']
      >[number],
    ],
    settled: (waitMs) => Promise.resolve(void waits.push(waitMs)),
  };
  await firstConnections(registry as ToolDispatcher, undefined, {
    clock,
    signal: new AbortController().signal,
  });
  expect(waits).toEqual([15_000]);
});
