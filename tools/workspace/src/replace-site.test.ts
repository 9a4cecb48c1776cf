import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const { replaceSite } = (await import(new URL('../../replace-site.mjs', import.meta.url).href)) as {
  readonly replaceSite: (from: string, to: string) => void;
};

/** Writes files, named by their paths, into a new folder. Returns the folder. */
function site(files: { readonly [path: string]: string }): string {
  const folder = mkdtempSync(join(tmpdir(), 'site-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();

test('files of the earlier build are deleted, with their folders', () => {
  const from = site({ 'index.html': 'new', 'assets/main-2.js': '2' });
  const to = site({ 'index.html': 'old', 'assets/main-1.js': '1', 'assets/old/main-1.js.br': '1' });
  replaceSite(from, to);
  expect(filesOf(to)).toEqual(['assets', 'assets/main-2.js', 'index.html']);
  expect(readFileSync(join(to, 'index.html'), 'utf8')).toBe('new');
});

test('a folder that does not exist is created', () => {
  const from = site({ 'index.html': 'new', 'assets/main-2.js': '2' });
  const to = join(site({}), 'bundle/console');
  replaceSite(from, to);
  expect(filesOf(to)).toEqual(filesOf(from));
});
