import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const { isBuilt, recordBuild } = (await import(
  new URL('../../build-state.mjs', import.meta.url).href
)) as {
  readonly isBuilt: (root: string) => boolean;
  readonly recordBuild: (root: string) => void;
};

function workspace() {
  const root = mkdtempSync(join(tmpdir(), 'build-state-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (file: string, text = '') => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  for (const file of ['apps/a/src/x.ts', 'libs/b/dist/y.js', 'servers/c/z.ts', 'tools/t.mjs'])
    write(file);
  write('package-lock.json', '{}');
  return { root, write, remove: (file: string) => rmSync(join(root, file)) };
}

test('packages count as built after the build was recorded, also when results or installed packages change', () => {
  const { root, write } = workspace();
  expect(isBuilt(root)).toBe(false);
  recordBuild(root);
  write('apps/a/.results/vitest.json', '{}');
  write('libs/b/node_modules/n/index.js', '');
  write('README.md', 'text');
  expect(isBuilt(root)).toBe(true);
});

test.each([
  ['a source changes', ({ write }: ReturnType<typeof workspace>) => write('servers/c/z.ts', '1')],
  ['a source is added', ({ write }: ReturnType<typeof workspace>) => write('apps/a/src/new.ts')],
  [
    'a file of a build is gone',
    ({ remove }: ReturnType<typeof workspace>) => remove('libs/b/dist/y.js'),
  ],
  [
    'the lock file changes',
    ({ write }: ReturnType<typeof workspace>) => write('package-lock.json', '{ }'),
  ],
  ['a tool changes', ({ write }: ReturnType<typeof workspace>) => write('tools/t.mjs', '1')],
])('packages do not count as built when %s', (_, change) => {
  const place = workspace();
  recordBuild(place.root);
  change(place);
  expect(isBuilt(place.root)).toBe(false);
});
