import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Tool } from '@signalbox/mcp-core';
import { onTestFinished } from 'vitest';
import type { FakeServer } from '../../mcp/testing/fake-server.ts';
import { recordingLogger } from '../../mcp/testing/pool-fixture.ts';
import type { ServerDirectory } from '../../ports/server-directory.ts';
import type { SignalBus } from '../../ports/signal-bus.ts';
import type { ToolCatalogue } from '../../ports/tool-catalogue.ts';
import { createInProcessSignalBus } from '../../queue/in-process-signal-bus.ts';
import { sharedChecks } from '../../schema/testing/shared-checks.ts';
import { openStore } from '../../store/open-store.ts';
import type { OpenedStore } from '../../store/opened-store.ts';
import { databaseFolder, provideMigratedDatabase } from '../../store/testing/migrated-database.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { FleetMember } from '../fleet-member.ts';
import { FleetRequester } from '../fleet-requester.ts';
import { requestedDirectory } from '../requested-directory.ts';
import { storedCatalogue } from '../stored-catalogue.ts';
import { StoredServers } from '../stored-servers.ts';
import { catalogueServers, type CatalogueServers } from './catalogue-servers.ts';

/** A worker with the servers of the contract of catalogues. */
export interface Worker extends CatalogueServers {
  readonly id: string;
  /** Makes the worker join again under a new id, as after the loss of its lease. */
  readonly joinAgain: (id: string) => Promise<void>;
  readonly member: FleetMember;
}

/** The access of an API process to the servers, with the parts that tests inspect. */
export interface Fleet {
  readonly catalogue: ToolCatalogue;
  readonly directory: ServerDirectory;
  readonly store: OpenedStore;
  readonly bus: SignalBus;
  readonly clock: ManualClock;
  readonly log: readonly string[];
  /** Adds a worker and starts its servers. `features`: those of `files`. */
  join(
    id: string,
    tools: readonly Tool[],
    features?: Partial<FakeServer['features']>,
  ): Promise<Worker>;
  /** Ends a worker as the sweep does for one that sends no heartbeat. */
  end(id: string): Promise<void>;
  /** Returns the number of rows in a table. */
  count(table: string): number;
}

const NAMES = ['files', 'broken', 'slow'];

/** Creates an API process on a new store without workers. */
export async function openFleet(): Promise<Fleet> {
  const dataDir = databaseFolder();
  await provideMigratedDatabase(dataDir);
  const clock = new ManualClock();
  const store = await openStore({
    dataDir,
    role: 'api',
    durability: 'process',
    clock,
  });
  const { fleet, toolPins: pins } = store;
  const bus = createInProcessSignalBus();
  const logger = recordingLogger();
  const workers: Worker[] = [];
  onTestFinished(async () => {
    for (const { member, pool } of workers) {
      await member.close();
      await pool.close();
    }
    await store.close();
    await rm(dataDir, { recursive: true });
  });
  const count = (table: string): number => {
    const database = new Sqlite(join(dataDir, 'signalbox.sqlite'), { readonly: true });
    const { n } = database.prepare(`select count(*) as n from ${table}`).get() as { n: number };
    database.close();
    return n;
  };
  const servers = new StoredServers({
    fleet,
    configured: NAMES.map((name) => ({ name, transport: 'stdio', roots: [] })),
    clock,
  });
  const requester = new FleetRequester({ fleet, bus, clock });
  return {
    catalogue: storedCatalogue({ servers, bus, clock, schemas: sharedChecks }),
    directory: requestedDirectory({ fleet, pins, servers, requester, names: NAMES }),
    store,
    bus,
    clock,
    log: logger.lines,
    async join(id, tools, features) {
      await store.write({}, (change) => change.addWorker({ id, role: 'worker', pid: 1 }));
      const served = catalogueServers(tools, { pins });
      served.files.features = { ...served.files.features, ...features };
      const identity = { id };
      const member = new FleetMember({
        fleet,
        pool: served.pool,
        workerId: () => identity.id,
        bus,
        clock,
        logger,
      });
      const joinAgain = async (next: string): Promise<void> => {
        await store.write({}, (change) => change.endWorker(identity.id));
        await store.write({}, (change) => change.addWorker({ id: next, role: 'worker', pid: 1 }));
        identity.id = next;
      };
      const worker = { ...served, id, joinAgain, member };
      workers.push(worker);
      await member.start();
      worker.start();
      return worker;
    },
    count,
    end: (id) => store.write({}, (change) => change.endWorker(id)),
  };
}
