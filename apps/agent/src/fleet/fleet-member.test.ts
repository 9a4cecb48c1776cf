import { expect, test } from 'vitest';
import type { ServerControl, ServerFeatures } from '../ports/server-directory.ts';
import type { FleetAnswer, FleetRequest, FleetStore } from '../ports/store/fleet.ts';
import { recordingLogger } from '../mcp/testing/pool-fixture.ts';
import { createInProcessSignalBus } from '../queue/in-process-signal-bus.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { FleetMember } from './fleet-member.ts';

const REQUEST: FleetRequest = {
  id: 'r1',
  workerId: 'w1',
  server: 'files',
  command: { kind: 'reconnect', mode: 'now' },
};

test('a command whose answer is stored while the commands are read is executed once', async () => {
  const bus = createInProcessSignalBus();
  const executed = Promise.withResolvers<void>();
  const secondRead = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const thirdRead = Promise.withResolvers<void>();
  let executions = 0;
  let reads = 0;
  let answer: FleetAnswer | undefined;
  const fleet: Partial<FleetStore> = {
    settings: () => Promise.resolve([]),
    removeStates: () => Promise.resolve(),
    requestsTo: async () => {
      reads += 1;
      const found = answer === undefined ? [REQUEST] : [];
      if (reads === 2) {
        secondRead.resolve();
        await answered.promise;
      }
      if (reads === 3) thirdRead.resolve();
      return found;
    },
    answerRequest: (_id, given) => {
      answer = given;
      // The second read continues after this call has returned.
      setImmediate(() => answered.resolve());
      return Promise.resolve();
    },
  };
  const control: Partial<ServerControl> = {
    reconnect: () => {
      executions += 1;
      return executed.promise;
    },
  };
  const member = new FleetMember({
    fleet: fleet as FleetStore,
    pool: {
      states: () => [],
      control: () => control as ServerControl,
      server: () => ({}) as ServerFeatures,
      onServerChange: () => () => undefined,
    },
    workerId: () => 'w1',
    bus,
    clock: new ManualClock(),
    logger: recordingLogger(),
  });
  await member.start();
  bus.publish({ type: 'servers' });
  await expect.poll(() => executions).toBe(1);
  bus.publish({ type: 'servers' });
  await secondRead.promise;
  executed.resolve();
  await answered.promise;
  bus.publish({ type: 'servers' });
  await thirdRead.promise;
  expect(executions).toBe(1);
  await member.close();
});
