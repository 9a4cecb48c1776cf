import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { toolPinsContract } from '../ports/tool-pins.contract.ts';
import { systemClock } from '../system/system-clock.ts';
import { openStore } from './open-store.ts';
import type { OpenedStore } from './opened-store.ts';

const stores: OpenedStore[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function open(dataDir: string): Promise<OpenedStore> {
  const store = await openStore({ dataDir, durability: 'process', clock: systemClock });
  stores.push(store);
  return store;
}

async function temporaryFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'pins-'));
  folders.push(path);
  return path;
}

describe('pins in the store', () => {
  toolPinsContract(async () => (await open(await temporaryFolder())).toolPins);
});

test('pins are known after a restart', async () => {
  const dataDir = await temporaryFolder();
  const pin = {
    server: 'a',
    tool: 't',
    parts: { description: 'aa' },
    definition: { description: 'a' },
    firstSeenAt: 1,
    acceptedAt: undefined,
  };
  const first = await open(dataDir);
  await first.toolPins.keep([pin]);
  await stores.pop()?.close();
  expect(await (await open(dataDir)).toolPins.of('a')).toEqual([pin]);
});
