import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectSqliteHosts, type SqliteHost } from '../sqlite/official-hosts.ts';
import { calls, memo, schema, tools, type SqliteCall } from './sqlite-calls.ts';

const readme = readFileSync(
  fileURLToPath(new URL('README.md', import.meta.resolve('@signalbox/server-sqlite/package.json'))),
  'utf8',
);
const [, differences = ''] = readme.split('## In place of the reference server');
const rows = (differences.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1);

type Shape = { readonly [name: string]: unknown };

interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Shape;
}

async function answerOf({ callTool }: SqliteHost, { tool, args }: SqliteCall): Promise<Answer> {
  const result = await callTool(tool, args).catch((error: Error & { readonly code?: number }) => ({
    isError: true,
    content: [{ type: 'text', text: `${error.message} (${error.code ?? 'no code'})` }],
  }));
  const {
    content = [],
    isError,
    structuredContent,
  } = result as {
    readonly content?: readonly { readonly text?: string }[];
    readonly isError?: boolean;
    readonly structuredContent?: Shape;
  };
  return {
    isError: isError === true,
    text: content[0]?.text ?? '',
    structured: structuredContent ?? {},
  };
}

/** Returns our answer in the shape of the reference server: rows as objects, or a text. */
function inTheirShape(tool: string, { structured, text }: Answer): unknown {
  switch (tool) {
    case 'read_query': {
      const columns = structured['columns'] as readonly { readonly name: string }[];
      return (structured['rows'] as readonly (readonly unknown[])[]).map((row) =>
        Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])),
      );
    }
    case 'describe_table': {
      const keys = structured['primaryKey'] as readonly string[];
      return (structured['columns'] as readonly Shape[]).map((column, cid) => ({
        cid,
        name: column['name'],
        type: column['type'],
        notnull: column['notNull'] === true ? 1 : 0,
        dflt_value: column['default'],
        pk: keys.indexOf(String(column['name'])) + 1,
      }));
    }
    case 'write_query':
      return [{ affected_rows: structured['affectedRows'] }];
    default:
      return text;
  }
}

/** Reads a list as Python writes it, without quotes inside of strings. */
function fromPython(text: string): unknown {
  if (!text.startsWith('[')) return text;
  return JSON.parse(text.replaceAll("'", '"').replaceAll('None', 'null'));
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drop-in-sqlite-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(connectSqliteHosts)('a host of the reference server on the %s', (name, connect) => {
  test('finds its tools, and gets the same content from every call or the difference that the README has', async () => {
    const path = join(folder, `${name}.db`);
    new Database(path).exec(schema).close();
    await using host = await connect({ args: ['--db-path', path] });
    const listed = await host.listTools();
    for (const [tool, args, required] of tools) {
      const { inputSchema } = listed.find((candidate) => candidate.name === tool) ?? {};
      expect([tool, inputSchema?.['required'] ?? []]).toEqual([tool, required]);
      expect(Object.keys(inputSchema?.['properties'] ?? {})).toEqual(
        expect.arrayContaining([...args]),
      );
    }
    const unexpected: unknown[] = [];
    for (const call of calls) {
      const answer = await answerOf(host, call);
      const { tool, args, ours, theirs } = call;
      const isSame = isDeepStrictEqual(
        [answer.isError, ours === undefined && inTheirShape(tool, answer)],
        [ours?.isError ?? false, ours === undefined && fromPython(theirs)],
      );
      if (!isSame || ours?.text.test(answer.text) === false) unexpected.push([tool, args, answer]);
    }
    expect(unexpected).toEqual([]);
    expect(await host.readText('memo://insights')).toBe(memo);
    expect(JSON.stringify(await host.getPrompt('mcp-demo', { topic: 'tea' }))).toContain('tea');
  });
});

test('every difference has a row in the README, and every row about a call has one', () => {
  const starts = new Set(calls.flatMap(({ row }) => row ?? []));
  const undocumented = [...starts].filter(
    (start) => !rows.some((row) => row.startsWith(`| ${start}`)),
  );
  expect(undocumented).toEqual([]);
  const isAboutOthers = /^\| (?:Notifications|Command line|Errors) /;
  const unproved = rows.filter(
    (row) => !isAboutOthers.test(row) && ![...starts].some((start) => row.startsWith(`| ${start}`)),
  );
  expect(unproved).toEqual([]);
});

test('only an error of both servers may differ without a row', () => {
  const unlisted = calls.filter(({ ours, row }) => ours !== undefined && row === undefined);
  const notErrors = unlisted.filter(
    ({ ours, theirs }) => ours?.isError !== true || !/^(?:Error|Database error): /.test(theirs),
  );
  expect(notErrors).toEqual([]);
});
