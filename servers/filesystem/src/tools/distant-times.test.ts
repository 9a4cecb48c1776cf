import { existsSync } from 'node:fs';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createToolCaller, type ToolCaller } from '../testing/call-tool.ts';
import { serveFolders } from '../testing/connect-to-server.ts';

const LAST = '9999-12-31T23:59:59.999Z';

/**
 * Creates a folder with a file whose time `Date` cannot have, where the file system allows it: that of
 * `/dev/shm` does. Others store the nearest time that they can.
 */
async function folderOfDistantTimes(): Promise<string> {
  const folder = await mkdtemp(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'times-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, 'distant.txt'), 'four');
  await utimes(path.join(folder, 'distant.txt'), 1e13, 1e13);
  return folder;
}

async function modifiedIn(tools: ToolCaller): Promise<string> {
  const { structured } = await tools.call('get_file_info', { path: 'distant.txt' });
  return String(structured['modified']);
}

test('a file with a time that Date cannot have is described with the last time of the year 9999', async () => {
  const tools = await createToolCaller([await folderOfDistantTimes()]);
  const { structured, text } = await tools.call('get_file_info', { path: 'distant.txt' });
  expect(structured).toMatchObject({ size: 4, type: 'file' });
  expect(String(structured['modified']) <= LAST).toBe(true);
  expect(text).not.toContain('Invalid Date');
});

test('a file with a time that Date cannot have keeps its size in a list', async () => {
  const tools = await createToolCaller([await folderOfDistantTimes()]);
  const { structured } = await tools.call('list_directory_with_sizes', { path: '.' });
  expect(structured).toMatchObject({ entries: [{ name: 'distant.txt', size: 4 }] });
});

test('a file with a time that Date cannot have is listed as a resource', async () => {
  const folder = await folderOfDistantTimes();
  const modified = await modifiedIn(await createToolCaller([folder]));
  await using served = await serveFolders({ directories: [folder] });
  const client = await served.connect();
  expect(await client.listResources()).toMatchObject([
    { name: path.basename(folder) },
    { name: 'distant.txt', size: 4, annotations: { lastModified: modified } },
  ]);
});
