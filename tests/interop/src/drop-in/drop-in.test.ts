import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ClientV1, StdioClientTransportV1 } from '../../../peers/src/sdk-v1-clients.ts';
import { ClientV2 } from '../../../peers/src/sdk-v2-clients.ts';
import { StdioClientTransportV2 } from '../../../peers/src/sdk-v2.ts';
import { compileCache } from '../compile-cache.ts';
import { calls, files, links, type DropInCall, type ExpectedText } from './calls.ts';

const ours = fileURLToPath(
  new URL('bin.js', import.meta.resolve('@signalbox/server-filesystem/package.json')),
);
const official = fileURLToPath(
  new URL(
    '../../../peers/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
    import.meta.url,
  ),
);
const documentation = readFileSync(
  fileURLToPath(new URL('../../../../docs/filesystem.md', import.meta.url)),
  'utf8',
);
const info = { name: 'host', version: '1.0.0' };

interface Answer {
  readonly isError: boolean;
  /** Visible part of a result: the text, or the block of an image or sound. */
  readonly shown: string;
  readonly content: unknown;
}

type Call = (
  tool: string,
  args: DropInCall['args'],
) => Promise<{ readonly [member: string]: unknown }>;

interface Host {
  readonly call: Call;
  readonly close: () => Promise<void>;
}

const hosts: { readonly [sdk: string]: (program: string, root: string) => Promise<Host> } = {
  async 'SDK v1'(program, root) {
    const client = new ClientV1(info, { capabilities: {} });
    await client.connect(
      new StdioClientTransportV1({
        command: process.execPath,
        args: [program, root],
        env: compileCache,
        stderr: 'ignore',
      }),
    );
    return {
      call: (name, args) => client.callTool({ name, arguments: args }),
      close: () => client.close(),
    };
  },
  async 'SDK v2'(program, root) {
    const client = new ClientV2(info, { capabilities: {} });
    await client.connect(
      new StdioClientTransportV2({
        command: process.execPath,
        args: [program, root],
        env: compileCache,
        stderr: 'ignore',
      }),
    );
    return {
      call: (name, args) => client.callTool({ name, arguments: args }),
      close: () => client.close(),
    };
  },
};

/**
 * Directories of both servers. Their paths have the same length, so that results that contain them
 * do too.
 */
const folders: { [server: string]: string } = {};

beforeAll(async () => {
  for (const server of ['ours', 'them'])
    folders[server] = await realpath(await mkdtemp(join(tmpdir(), `drop-in-${server}-`)));
});
afterAll(async () => {
  for (const folder of Object.values(folders)) await rm(folder, { recursive: true, force: true });
});

/** Time of every file, so that facts of files are the same in both directories. */
const changedAt = new Date('2026-01-02T03:04:05Z');

function fill(root: string): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  mkdirSync(join(root, 'empty/none/x'));
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }))
    if (existsSync(join(root, name))) utimesSync(join(root, name), changedAt, changedAt);
}

async function answerOf({ call }: Host, root: string, { tool, args }: DropInCall): Promise<Answer> {
  const placed = JSON.parse(JSON.stringify(args).replaceAll('${ROOT}', root)) as DropInCall['args'];
  const result: { readonly [member: string]: unknown } = await call(tool, placed).catch(
    (error: unknown) => ({ isError: true, content: [{ type: 'text', text: String(error) }] }),
  );
  const [block] = result['content'] as readonly { readonly type: string; readonly text?: string }[];
  const { content } = (result['structuredContent'] ?? {}) as { readonly content?: unknown };
  const created = 'created: ${CREATED}';
  const isKnown = typeof placed['path'] === 'string' && existsSync(placed['path']);
  const creation = isKnown
    ? `created: ${String(statSync(placed['path'] as string).birthtime)}`
    : created;
  const neutral = <T>(value: T) =>
    JSON.parse(
      JSON.stringify({ value }).replaceAll(root, '${ROOT}').replaceAll(creation, created),
    ) as { readonly value: T };
  return {
    isError: result['isError'] === true,
    shown: neutral(block?.text ?? JSON.stringify(block)).value,
    content: neutral(content).value,
  };
}

/** Whether an answer is as the table says: an error of another kind does not count. */
function isAsExpected({ isError, shown }: Answer, expected: ExpectedText | undefined): boolean {
  if (expected === undefined) return true;
  const { text } = expected;
  return (
    isError === (expected.isError ?? false) &&
    (typeof text === 'string' ? shown === text : text.test(shown))
  );
}

/** Returns every file with its content. */
function treeOf(root: string): unknown {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    entries
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((file) => [file.slice(root.length), readFileSync(file, 'base64')]),
  );
}

describe.each(Object.entries(hosts))('for a host on the %s', (_sdk, connect) => {
  let own: Host;
  let theirs: Host;
  const roots = { ours: '', them: '' };

  beforeAll(async () => {
    for (const server of ['ours', 'them'] as const)
      roots[server] = await realpath(await mkdtemp(join(folders[server] ?? '', 'root-')));
    own = await connect(ours, roots.ours);
    theirs = await connect(official, roots.them);
  });
  afterAll(async () => {
    await own.close();
    await theirs.close();
  });

  test.each(calls)('$tool, $what', async (call) => {
    for (const root of Object.values(roots)) {
      await Promise.all(readdirSync(root).map((name) => rm(join(root, name), { recursive: true })));
      fill(root);
    }
    const answers = [
      await answerOf(own, roots.ours, call),
      await answerOf(theirs, roots.them, call),
    ] as const;
    const leavesSameFiles = isDeepStrictEqual(treeOf(roots.ours), treeOf(roots.them));
    expect(leavesSameFiles).toBe(call.leavesOtherFiles !== true);
    const [mine, other] = answers;
    const found = {
      isSame: isDeepStrictEqual(mine, other),
      isOurs: isAsExpected(mine, call.ours),
      isTheirs: isAsExpected(other, call.theirs),
    };
    const isSame = call.ours === undefined && call.theirs === undefined;
    expect(found, JSON.stringify(answers)).toEqual({ isSame, isOurs: true, isTheirs: true });
  });
});

describe.each(Object.entries(hosts))('a large file, for a host on the %s:', (_sdk, connect) => {
  test('a file of 6 MB does not cut its connection', async () => {
    const root = await realpath(await mkdtemp(join(folders['ours'] ?? '', 'large-')));
    writeFileSync(join(root, 'b.txt'), `${'x'.repeat(99)}\n`.repeat(60_000));
    const host = await connect(ours, root);
    try {
      expect(await host.call('read_text_file', { path: 'b.txt' })).toMatchObject({
        structuredContent: { truncated: true },
      });
      expect(await host.call('list_allowed_directories', {})).toMatchObject({
        structuredContent: { directories: [root] },
      });
    } finally {
      await host.close();
    }
  });
});

test('every difference has a row in docs/filesystem.md, except for the texts of errors', () => {
  const different = calls.filter(
    ({ ours: mine, theirs }) =>
      mine !== undefined && (mine.isError !== true || theirs?.isError !== true),
  );
  expect(
    different.filter(({ row, what }) => row === undefined && !what.includes('missing')),
  ).toEqual([]);
  const rows = calls.flatMap(({ row }) => row ?? []);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter((row) => !documentation.includes(`\n| ${row}`))).toEqual([]);
});
