import { rm } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { secretsContract } from '../ports/store/secrets.contract.ts';
import { openStore } from './open-store.ts';
import { databaseFolder, provideMigratedDatabase } from './testing/migrated-database.ts';

secretsContract('SQLite', async (clock) => {
  const dataDir = databaseFolder();
  await provideMigratedDatabase(dataDir);
  const store = await openStore({ dataDir, durability: 'process', clock });
  onTestFinished(async () => {
    await store.close();
    await rm(dataDir, { recursive: true });
  });
  return store.secrets;
});
