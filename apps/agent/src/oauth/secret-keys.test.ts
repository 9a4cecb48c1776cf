import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { KEY_FILE, secretBoxOf } from './secret-keys.ts';

const KEY = Buffer.alloc(32, 7);
const PLACE = { kind: 'tokens', name: 'n' } as const;

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keys-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('without a given key, one is created in a private file, and found again', async () => {
  const dataDir = join(await dataFolder(), 'data');
  const sealed = secretBoxOf({ given: undefined, dataDir })().seal('x', PLACE);
  const { mode } = await stat(join(dataDir, KEY_FILE));
  expect(mode & 0o777).toBe(0o600);
  expect(secretBoxOf({ given: undefined, dataDir })().open(sealed, PLACE)).toBe('x');
});

test('no file is created for a given key, or before the first secret', async () => {
  const dataDir = await dataFolder();
  secretBoxOf({ given: undefined, dataDir });
  secretBoxOf({ given: [KEY], dataDir })().seal('x', PLACE);
  await expect(stat(join(dataDir, KEY_FILE))).rejects.toThrow('ENOENT');
});

test('a further first line of the file rotates the key', async () => {
  const dataDir = await dataFolder();
  const sealed = secretBoxOf({ given: undefined, dataDir })().seal('x', PLACE);
  const file = join(dataDir, KEY_FILE);
  await writeFile(file, `${KEY.toString('base64')}\n${await readFile(file, 'utf8')}`);
  const box = secretBoxOf({ given: undefined, dataDir })();
  expect(box.open(sealed, PLACE)).toBe('x');
  expect(box.keyId).not.toBe(sealed.keyId);
});

test('a file that others could read becomes private', async () => {
  const dataDir = await dataFolder();
  const file = join(dataDir, KEY_FILE);
  await writeFile(file, KEY.toString('base64'), { mode: 0o644 });
  secretBoxOf({ given: undefined, dataDir })();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
