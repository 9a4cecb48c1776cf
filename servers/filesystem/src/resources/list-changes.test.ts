import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import { describe, expect, test } from 'vitest';
import { serveFolders } from '../testing/connect-to-server.ts';

describe.each(['legacy', 'modern'] as const)(
  'a %s client that follows the list of resources',
  (era) => {
    test('is notified of new and removed entries on the first level, and of nothing deeper', async () => {
      await using folders = await createTemporaryFolders({ root: { 'd/x': '' } });
      await using served = await serveFolders({ directories: [folders.root] });
      let changes = 0;
      const client = await served.connect({ era });
      const watch = await client.watch({ onResourcesChanged: () => changes++ });
      // A legacy client does not say that it follows the list; it has read it.
      if (era === 'legacy') await client.listResources();
      await writeFile(path.join(folders.root, 'd/deeper'), '');
      await writeFile(path.join(folders.root, 'new.txt'), '');
      await expect.poll(() => changes).toBe(1);
      await rm(path.join(folders.root, 'new.txt'));
      await expect.poll(() => changes).toBe(2);
      await mkdir(path.join(folders.root, 'folder'));
      await expect.poll(() => changes).toBe(3);
      await watch.close();
    });
  },
);

test('a legacy client is notified when its roots change the resources', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a/x': '', 'b/y': '' } });
  let name = 'a';
  await using served = await serveFolders({ directories: [] });
  let changes = 0;
  const client = await served.connect({
    roots: () => [{ uri: pathToFileURL(path.join(folders.root, name)).href }],
  });
  await client.watch({ onResourcesChanged: () => changes++ });
  expect(await client.listResources()).toHaveLength(2);
  await writeFile(path.join(folders.root, 'a/more'), '');
  await expect.poll(() => changes).toBe(1);
  name = 'b';
  await client.rootsChanged();
  await expect.poll(() => changes).toBe(2);
  expect((await client.listResources()).map((resource) => resource.name)).toEqual(['b', 'y']);
});
