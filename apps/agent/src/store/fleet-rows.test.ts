import { rm } from 'node:fs/promises';
import { fleetContract } from '../ports/store/fleet.contract.ts';
import { openStore } from './open-store.ts';
import { databaseFolder, provideMigratedDatabase } from './testing/migrated-database.ts';

fleetContract('SQLite', async (clock) => {
  const dataDir = databaseFolder();
  await provideMigratedDatabase(dataDir);
  const store = await openStore({
    dataDir,
    role: 'api',
    durability: 'process',
    clock,
  });
  return {
    store,
    fleet: store.fleet,
    handedJobs: store.handedJobs,
    serverOwners: store.serverOwners,
    async close() {
      await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
});
