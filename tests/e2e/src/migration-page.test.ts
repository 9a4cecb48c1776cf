import { execFile } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { documentationSnippets, repository } from './support/markdown.ts';

const PAGE = 'docs/migrating-from-the-official-sdk.md';
const page = readFileSync(join(repository, PAGE), 'utf8');
const peers = join(repository, 'tests/peers/node_modules/@modelcontextprotocol');

/** Text of all declarations that match. */
function declarations(cwd: string, pattern: string): string {
  return globSync(pattern, { cwd })
    .map((file) => readFileSync(join(cwd, file), 'utf8'))
    .join('\n');
}

interface Rival {
  readonly name: string;
  readonly column: number;
  readonly declared: () => string;
}

const rivals: readonly Rival[] = [
  { name: 'v1', column: 1, declared: () => declarations(peers, 'sdk/dist/esm/**/*.d.ts') },
  {
    name: 'v2',
    column: 2,
    declared: () => declarations(peers, '{server,client,node,server-legacy}/dist/**/*.d.mts'),
  },
  {
    name: 'this package',
    column: 3,
    declared: () =>
      declarations(join(repository, 'libs/mcp-core/bundle'), '**/*.d.ts') +
      // A header field.
      'authorization',
  },
];

/** Words of the code in a column of the tables: calls, members and options. */
function wordsOf(column: number): ReadonlySet<string> {
  const cells = page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| v1 '))
    .map((line) => line.split('|')[column] ?? '');
  const code = cells.flatMap((cell) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
  );
  return new Set(
    code.flatMap((text) => text.replaceAll(/'[^']*'/g, '').match(/[A-Za-z_]{4,}\w*/g) ?? []),
  );
}

/** Words that are not names of an interface. */
const PLAIN = ['undefined', 'true', 'async', 'await', 'extra'];

describe('every name in the tables of the migration page is declared', () => {
  test.each(rivals)('by $name', ({ column, declared }) => {
    const words = wordsOf(column);
    expect(words.size).toBeGreaterThan(50);
    const known = new Set(declared().match(/\w+/g));
    expect([...words].filter((word) => !known.has(word) && !PLAIN.includes(word))).toEqual([]);
  });
});

test('the programs of the migration page run', async () => {
  const folder = join(import.meta.dirname, '../.results/migration');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const outputs = await Promise.all(
    documentationSnippets()
      .filter(({ file, language }) => file === PAGE && language === 'ts')
      .map(async ({ line, text }) => {
        const file = join(folder, `line-${line}.ts`);
        writeFileSync(file, text);
        const { stdout } = await promisify(execFile)(process.execPath, [file]);
        return stdout;
      }),
  );
  expect(outputs).toEqual([
    '[[{"type":"text","text":"3"}],{"uri":"note://7","text":"Note 7"}]\n',
    'modern: [{"type":"text","text":"Hello, Ada!"}]\n',
  ]);
});
