import { rm } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { FakeServer } from '../mcp/testing/fake-server.ts';
import { poolOf, recordingLogger, serverConfig, toolNamed } from '../mcp/testing/pool-fixture.ts';
import type { ServerPool } from '../mcp/server-pool.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { ToolCall } from '../ports/store/tool-call.ts';
import { createInProcessSignalBus } from '../queue/in-process-signal-bus.ts';
import { sharedChecks } from '../schema/testing/shared-checks.ts';
import { openStore } from '../store/open-store.ts';
import type { OpenedStore } from '../store/opened-store.ts';
import { databaseFolder, provideMigratedDatabase } from '../store/testing/migrated-database.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { FleetMember } from './fleet-member.ts';
import { SingletonServers } from './singleton-servers.ts';
import { configuredServers, StoredServers } from './stored-servers.ts';

interface Worker {
  readonly server: FakeServer;
  readonly singletons: SingletonServers;
  readonly pool: ServerPool;
  /** Makes the worker join again under a new id, as after the loss of its lease. */
  readonly joinAgain: (id: string) => Promise<void>;
}

interface Opened {
  readonly store: OpenedStore;
  readonly bus: SignalBus;
  /** Adds a worker with the singleton server `printer`. */
  readonly join: (id: string) => Promise<Worker>;
}

async function open(): Promise<Opened> {
  const dataDir = databaseFolder();
  await provideMigratedDatabase(dataDir);
  const clock = new ManualClock();
  const store = await openStore({ dataDir, role: 'api', durability: 'process', clock });
  const bus = createInProcessSignalBus();
  const logger = recordingLogger();
  const closing: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const close of closing) await close();
    await store.close();
    await rm(dataDir, { recursive: true });
  });
  const add = (id: string): Promise<void> =>
    store.write({}, (change) => change.addWorker({ id, role: 'worker', pid: 1 }));
  return {
    store,
    bus,
    async join(id) {
      await add(id);
      const identity = { id };
      const server = new FakeServer(toolNamed('print'));
      const held = new Set(['printer']);
      const { pool } = poolOf({ printer: server }, {}, { held });
      const singletons = new SingletonServers({
        pool,
        held,
        owners: store.serverOwners,
        fleet: store.fleet,
        stored: new StoredServers({
          fleet: store.fleet,
          configured: configuredServers([serverConfig('printer')]),
          clock,
        }),
        handed: store.handedJobs,
        workerId: () => identity.id,
        bus,
        clock,
        logger,
        schemas: sharedChecks,
      });
      const member = new FleetMember({
        fleet: store.fleet,
        pool: singletons.pool,
        workerId: () => identity.id,
        bus,
        clock,
        logger,
      });
      closing.push(async () => {
        await singletons.close();
        await member.close();
        await pool.close();
      });
      await singletons.start();
      await member.start();
      singletons.pool.start();
      return {
        server,
        singletons,
        pool: singletons.pool,
        async joinAgain(next) {
          await add(next);
          identity.id = next;
          bus.publish({ type: 'servers' });
        },
      };
    },
  };
}

/** A call of the tool of the server, with the members that are read. */
const CALL = { id: 'c1', server: 'printer', attempt: 0 } as ToolCall;
const JOB = { type: 'call-tool', callId: 'c1' } as const;

const toolNames = ({ pool }: Worker): readonly string[] =>
  pool.tools().map(({ wireName }) => wireName);

/** Resolves when both workers offer the tool. */
async function bothOffer(...workers: readonly Worker[]): Promise<void> {
  for (const worker of workers)
    await expect.poll(() => toolNames(worker)).toEqual(['printer__print']);
}

test('only the owner is connected, and another worker offers its tools and hands it their calls once', async () => {
  const { store, join } = await open();
  const owner = await join('w1');
  const other = await join('w2');
  await bothOffer(owner, other);
  expect([owner.server.open, other.server.launches]).toEqual([1, 0]);
  expect((await store.fleet.states()).map(({ workerId }) => workerId)).toEqual(['w1']);
  expect(other.pool.servers()).toMatchObject([{ state: 'ready', workers: [{ workerId: 'w1' }] }]);
  expect(other.pool.find('printer__print')).toMatchObject({ name: 'print' });
  expect(await other.pool.checkArguments('printer__print', {})).toBeUndefined();
  expect(await owner.singletons.handToOwner(CALL)).toBe(false);
  expect(await other.singletons.handToOwner(CALL)).toBe(true);
  expect(await store.handedJobs.take(9, 'w2')).toEqual([]);
  expect(await store.handedJobs.take(9, 'w1')).toMatchObject([{ job: JOB, isAddressed: true }]);
  expect(await other.singletons.handToOwner(CALL)).toBe(true);
  expect(await store.handedJobs.take(9, 'w1')).toEqual([]);
});

test('when the lease of the owner has ended, another worker connects the server, and the former owner ends its connection', async () => {
  const { store, bus, join } = await open();
  const frozen = await join('w1');
  const other = await join('w2');
  await bothOffer(frozen, other);
  await store.write({}, (change) => change.endWorker('w1'));
  // The signal also reaches the frozen worker, which can claim nothing.
  bus.publish({ type: 'servers' });
  await expect.poll(() => other.server.open).toBe(1);
  await frozen.joinAgain('w3');
  await expect.poll(() => frozen.server.open).toBe(0);
  await bothOffer(frozen, other);
  expect(await other.singletons.handToOwner(CALL)).toBe(false);
  expect(await frozen.singletons.handToOwner(CALL)).toBe(true);
  expect(await store.handedJobs.take(9, 'w2')).toMatchObject([{ job: JOB }]);
  expect((await store.fleet.states()).map(({ workerId }) => workerId)).toEqual(['w2']);
});

test('control: an owner that joins again before another worker claims the server keeps its connection', async () => {
  const { store, join } = await open();
  const owner = await join('w1');
  await bothOffer(owner);
  await store.write({}, (change) => change.endWorker('w1'));
  await owner.joinAgain('w2');
  await expect.poll(() => store.serverOwners.owners()).toEqual(new Map([['printer', 'w2']]));
  await expect.poll(async () => (await store.fleet.states())[0]?.workerId).toBe('w2');
  expect([owner.server.open, owner.server.launches]).toEqual([1, 1]);
});

test('a drained server is not connected by its next owner until it is reconnected', async () => {
  const { store, bus, join } = await open();
  const first = await join('w1');
  const second = await join('w2');
  await bothOffer(first, second);
  await store.fleet.changeSettings('printer', { isDrained: true, roots: ['/data'] });
  for (const { pool } of [first, second]) await pool.control('printer')?.drain('now');
  await expect.poll(() => second.pool.servers()[0]?.state).toBe('drained');
  expect(toolNames(second)).toEqual([]);
  await store.write({}, (change) => change.endWorker('w1'));
  bus.publish({ type: 'servers' });
  await expect
    .poll(async () => (await store.fleet.states())[0])
    .toMatchObject({
      workerId: 'w2',
      status: { state: 'drained', roots: ['/data'] },
    });
  expect(second.server.launches).toBe(0);
  await second.pool.control('printer')?.reconnect('graceful');
  await bothOffer(second);
  expect(second.server.open).toBe(1);
});
