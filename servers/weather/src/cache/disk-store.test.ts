import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DiskStore } from './disk-store.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'disk-store-'));
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

async function openStore(path: string) {
  const warnings: string[] = [];
  const store = new DiskStore(join(path, 'cache'), (message) => warnings.push(message));
  await store.open();
  return { store, warnings };
}

test('another process reads the entries of the same kind and key, and no others', async () => {
  const path = folder();
  const { store } = await openStore(path);
  const entries = store.entries<{ readonly a: number }>('current');
  entries.write('52,13', { value: { a: 1 }, storedAt: 1000 });
  await expect.poll(() => entries.read('52,13')).toEqual({ value: { a: 1 }, storedAt: 1000 });
  const { store: other } = await openStore(path);
  expect(await other.entries('current').read('52,13')).toEqual({ value: { a: 1 }, storedAt: 1000 });
  expect(await other.entries('forecast').read('52,13')).toBeUndefined();
  expect(await other.entries('current').read('52,14')).toBeUndefined();
  const [name = ''] = readdirSync(join(path, 'cache'));
  expect(name).not.toContain('52');
  expect(statSync(join(path, 'cache', name)).mode & 0o077).toBe(0);
});

test.each([
  ['cut', (text: string) => text.slice(0, -5)],
  ['empty', () => ''],
  ['of another format', (text: string) => text.replace('"format":1', '"format":2')],
  [
    'from the future',
    (text: string) => text.replace('"storedAt":1000', '"storedAt":99999999999999'),
  ],
])('ignores a file that is %s', async (_what, damage) => {
  const path = folder();
  const { store } = await openStore(path);
  const entries = store.entries<number>('air');
  entries.write('key', { value: 1, storedAt: 1000 });
  await expect.poll(() => entries.read('key')).toBeDefined();
  const [name = ''] = readdirSync(join(path, 'cache'));
  const file = join(path, 'cache', name);
  writeFileSync(file, damage(readFileSync(file, 'utf8')));
  expect(await entries.read('key')).toBeUndefined();
});

test('reports a write that fails, and goes on', async () => {
  const path = folder();
  const { store, warnings } = await openStore(path);
  rmSync(join(path, 'cache'), { recursive: true });
  store.entries('air').write('key', { value: 1, storedAt: 1 });
  await expect.poll(() => warnings).toEqual([expect.stringContaining('--cache-dir')]);
});
