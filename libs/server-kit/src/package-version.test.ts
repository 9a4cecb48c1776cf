import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { packageVersion } from './package-version.ts';

async function moduleIn(manifest: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'server-kit-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'package.json'), manifest);
  return pathToFileURL(join(folder, 'bundle', 'main.js')).href;
}

test('reads the version of the package the module lies in', async () => {
  expect(packageVersion(await moduleIn('{"version":"1.2.3"}'))).toBe('1.2.3');
});

test('refuses a package.json without a version', async () => {
  const url = await moduleIn('{"version":3}');
  expect(() => packageVersion(url)).toThrow('no version');
});

test('says where it looked when there is no package.json', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'server-kit-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const url = pathToFileURL(join(folder, 'server.ts')).href;
  expect(() => packageVersion(url)).toThrow(
    `There is no readable package.json in the folder above ${url}. Call packageVersion from a file in src, dist or bundle`,
  );
});
