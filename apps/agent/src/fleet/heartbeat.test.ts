import { expect, onTestFinished, test } from 'vitest';
import { eventually } from './testing/catalogue-servers.ts';
import { openFleet } from './testing/fleet.ts';
import { recordingLogger } from '../mcp/testing/pool-fixture.ts';
import { Heartbeat } from './heartbeat.ts';

test('an API process keeps its lease with a heartbeat every two seconds, and loses it without', async () => {
  const { store, clock } = await openFleet();
  const heartbeat = new Heartbeat({ store, clock, logger: recordingLogger() });
  heartbeat.start();
  const { workerId } = store;
  const sentAt = async (): Promise<number | undefined> =>
    (await store.read.workers()).find(({ id }) => id === workerId)?.heartbeatAt;
  for (let time = 0; time < 4; time++) {
    clock.advance(2000);
    await eventually(async () => expect(await sentAt()).toBe(clock.now()));
  }
  expect(await store.read.isAlive(workerId)).toBe(true);
  await heartbeat.close();
  clock.advance(6000);
  expect(await store.read.isAlive(workerId)).toBe(false);
});

test('an API process whose lease was ended joins again under a new id', async () => {
  const { store, clock } = await openFleet();
  const heartbeat = new Heartbeat({ store, clock, logger: recordingLogger() });
  onTestFinished(() => heartbeat.close());
  heartbeat.start();
  const { workerId } = store;
  await store.write({}, (change) => change.endWorker(workerId));
  clock.advance(2000);
  await eventually(() => expect(store.workerId).not.toBe(workerId));
  await eventually(async () => expect(await store.read.isAlive(store.workerId)).toBe(true));
});
