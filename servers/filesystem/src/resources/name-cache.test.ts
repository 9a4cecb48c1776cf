import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createManyEntries, createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { chooseOpener } from '@signalbox/file-sandbox';
import { expect, test, vi } from 'vitest';
import { NameCache } from './name-cache.ts';

const opener = await chooseOpener('/');
const { signal } = new AbortController();

test('a walk through all pages reads the directory once; a change makes the next page read it again', async () => {
  await using folders = await createTemporaryFolders();
  const names = Array.from({ length: 950 }, (_, index) => `f${String(index).padStart(3, '0')}`);
  createManyEntries(folders.root, names);
  const cache = new NameCache();
  let reads = 0;
  const page = async (after: string | undefined) => {
    await using directory = await opener.pin(folders.root);
    const entries = vi.spyOn(directory, 'entries');
    const result = await cache.page(directory, { limit: 100, after, signal });
    reads += entries.mock.calls.length;
    return result;
  };
  const walk = async () => {
    const found: string[] = [];
    for (let hasMore = true; hasMore;) {
      const next = await page(found.at(-1));
      found.push(...next.entries.map(({ name }) => name));
      hasMore = next.hasMore;
    }
    return found;
  };
  expect(await walk()).toEqual(names);
  expect(reads).toBe(1);
  await writeFile(path.join(folders.root, 'f9495'), '');
  expect((await page('f949')).entries).toEqual([{ name: 'f9495' }]);
  expect(reads).toBe(2);
});
