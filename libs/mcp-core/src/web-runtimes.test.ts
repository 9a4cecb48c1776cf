import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const IMPORT = /^(?:import|export) (?!type\b)(?:[^'";]*? from )?'([^']+)';$/gmu;

/** Returns the modules outside this package that a module and its static imports import. */
function externalsOf(
  url: URL,
  found = new Set<string>(),
  seen = new Set<string>(),
): ReadonlySet<string> {
  if (seen.has(url.href)) return found;
  seen.add(url.href);
  for (const [, name = ''] of readFileSync(url, 'utf8').matchAll(IMPORT)) {
    if (name.startsWith('.')) externalsOf(new URL(name, url), found, seen);
    else found.add(name);
  }
  return found;
}

test.each([
  'index',
  'server/index',
  'client/index',
  'http/server/index',
  'http/protected-resource/index',
  'http/client/index',
  'http/addresses/index',
  'auth/index',
])('%s.ts imports no module of Node statically, so that other runtimes load it', (entry) => {
  expect([...externalsOf(new URL(`${entry}.ts`, import.meta.url))]).toEqual([]);
});

test('a static import of a module of Node is detected', () => {
  expect([
    ...externalsOf(new URL('schema/worker/evaluate-in-worker.ts', import.meta.url)),
  ]).toContain('node:path');
});
