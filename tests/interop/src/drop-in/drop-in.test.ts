import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
import { calls, files, type DropInCall, type Relation } from './calls.ts';

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

function fill(root: string): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
}

async function answerOf({ call }: Host, root: string, { tool, args }: DropInCall): Promise<Answer> {
  const placed = JSON.parse(JSON.stringify(args).replaceAll('${ROOT}', root)) as DropInCall['args'];
  const result: { readonly [member: string]: unknown } = await call(tool, placed).catch(
    (error: unknown) => ({ isError: true, content: [{ type: 'text', text: String(error) }] }),
  );
  const [block] = result['content'] as readonly { readonly type: string; readonly text?: string }[];
  const { content } = (result['structuredContent'] ?? {}) as { readonly content?: unknown };
  const neutral = <T>(value: T) =>
    JSON.parse(JSON.stringify({ value }).replaceAll(root, '${ROOT}')) as { readonly value: T };
  return {
    isError: result['isError'] === true,
    shown: neutral(block?.text ?? JSON.stringify(block)).value,
    content: neutral(content).value,
  };
}

function relationOf(mine: Answer, theirs: Answer): Relation {
  if (mine.isError && theirs.isError) return 'both fail';
  if (mine.isError !== theirs.isError) return 'different';
  if (isDeepStrictEqual(mine, theirs)) return 'same';
  if (mine.shown === theirs.shown) return 'same text';
  return isDeepStrictEqual(
    [linesOf(mine.shown), linesOf(mine.content)],
    [linesOf(theirs.shown), linesOf(theirs.content)],
  )
    ? 'same lines'
    : 'different';
}

/** Whether our result is the one in the table, which a difference alone would not show. */
function asExpected({ isError, shown }: Answer, { relation, ours: expected }: DropInCall): boolean {
  if (expected === undefined)
    return relation !== 'different' && isError === (relation === 'both fail');
  return (
    isError === (expected.isError ?? false) &&
    (typeof expected.text === 'string' ? shown === expected.text : expected.text.test(shown))
  );
}

/** Returns the lines without the comma that separates JSON values. */
function linesOf(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  const tree = treeFrom(text);
  if (tree !== undefined) return sortedTree(tree);
  const lines = text.split('\n').map((line) => line.replace(/,$/, '').trim());
  return lines.toSorted();
}

interface TreeNode {
  readonly name: string;
  readonly children?: readonly TreeNode[];
}

/** Parses a result of `directory_tree`. */
function treeFrom(text: string): readonly TreeNode[] | undefined {
  return text.startsWith('[\n') ? (JSON.parse(text) as readonly TreeNode[]) : undefined;
}

/** Sorts the entries, each with its own children. */
function sortedTree(nodes: readonly TreeNode[]): unknown {
  const sorted = nodes.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return sorted.map((node) =>
    node.children === undefined ? node : { ...node, children: sortedTree(node.children) },
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
    const relation = relationOf(...answers);
    const found = {
      relation: relation === 'same' && call.relation === 'same lines' ? 'same lines' : relation,
      leavesSameFiles,
    };
    expect(found, JSON.stringify(answers)).toEqual({
      relation: call.relation,
      leavesSameFiles: call.leavesOtherFiles !== true,
    });
    expect(asExpected(answers[0], call), JSON.stringify(answers[0])).toBe(true);
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

test('every difference has a row in docs/filesystem.md', () => {
  const rows = calls
    .filter(({ relation, row }) => relation === 'different' || row !== undefined)
    .map(({ row }) => row);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter((row) => !documentation.includes(`\n| ${row}`))).toEqual([]);
});
