import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const SOURCES = new URL('.', import.meta.url).pathname;
const design = readFileSync(new URL('../DESIGN.md', import.meta.url), 'utf8');

interface Row {
  readonly noun: string;
  readonly client: readonly string[];
  readonly server: readonly string[];
}

function namesIn(cell = ''): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/gu)].map(([, name = '']) => name);
}

const [, section = ''] = design.split('## Files by noun of the specification');
const rows: readonly Row[] = [...section.split('\n## ')[0]!.matchAll(/^\| (.+) \|$/gmu)]
  .slice(1)
  .map(([, line = '']) => {
    const [noun = '', client, server] = line.split(' | ');
    return { noun, client: namesIn(client), server: namesIn(server) };
  });

/** The sources of a half, without tests and their support. */
function sourcesOf(half: 'client' | 'server'): readonly string[] {
  return globSync('**/*.ts', { cwd: `${SOURCES}/${half}` }).filter(
    (file) => !/\.test\.(?:support\.)?ts$/u.test(file),
  );
}

describe.each(['client', 'server'] as const)('the table of nouns names, for the %s,', (half) => {
  const files = sourcesOf(half);
  const named = rows.flatMap((row) => row[half]);

  test('only files and folders that exist', () => {
    expect(named.length).toBeGreaterThan(0);
    expect(
      named.filter((name) =>
        name.endsWith('/') ? !files.some((file) => file.startsWith(name)) : !files.includes(name),
      ),
    ).toEqual([]);
  });

  test('every file, by itself or by its folder', () => {
    expect(
      files.filter(
        (file) =>
          !named.some((name) => file === name || (name.endsWith('/') && file.startsWith(name))),
      ),
    ).toEqual([]);
  });
});

test.each([
  'elicitation',
  'sampling',
  'roots',
  'logging',
  'progress',
  'cancellation',
  'pagination',
  'resources',
  'tasks',
])('%s is found by name in client and in server', (noun) => {
  const row = rows.find((candidate) => candidate.noun === noun);
  for (const half of ['client', 'server'] as const)
    expect(row?.[half]).toContainEqual(
      expect.stringMatching(new RegExp(`(?:^|/)${noun}(?:\\.ts|/)$`, 'u')),
    );
});
