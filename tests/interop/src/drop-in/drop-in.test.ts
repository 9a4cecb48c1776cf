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
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  calls as plainCalls,
  files,
  links,
  textsOfErrors,
  type DropInCall,
  type ExpectedAnswer,
} from './calls.ts';
import { differenceCalls } from './difference-calls.ts';
import { hosts, type Host } from './hosts.ts';

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
const calls = [...plainCalls, ...differenceCalls];

interface Answer {
  readonly outcome: 'result' | 'error' | 'protocol error';
  readonly blocks: readonly Block[];
  /** `content` of the structured result. */
  readonly content: unknown;
}

type Block = { readonly text?: string };

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
  const { result, isRefused } = await call(tool, placed).then(
    (value) => ({ result: value, isRefused: false }),
    (error: unknown) => ({ result: { content: [{ text: String(error) }] }, isRefused: true }),
  );
  const { content, isError, structuredContent } = result as {
    readonly content: readonly Block[];
    readonly isError?: boolean;
    readonly structuredContent?: { readonly content?: unknown };
  };
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
    outcome: isRefused ? 'protocol error' : isError === true ? 'error' : 'result',
    blocks: neutral(content).value,
    content: neutral(structuredContent?.content).value,
  };
}

/** Whether an answer is as the table says: an error of another kind does not count. */
function isAsExpected({ outcome, blocks }: Answer, expected: ExpectedAnswer | undefined): boolean {
  if (expected === undefined) return true;
  const { isError, isProtocolError, text } = expected;
  const expectedOutcome = isProtocolError ? 'protocol error' : isError ? 'error' : 'result';
  const patterns = [text].flat();
  return (
    outcome === expectedOutcome &&
    blocks.length === patterns.length &&
    blocks.every((block, index) => {
      const pattern = patterns[index] ?? '';
      const shown = block.text ?? JSON.stringify(block);
      return typeof pattern === 'string' ? shown === pattern : pattern.test(shown);
    })
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
    own = await connect({ program: ours, args: [roots.ours], home: roots.ours });
    theirs = await connect({ program: official, args: [roots.them], home: roots.them });
  });
  afterAll(async () => {
    await own.close();
    await theirs.close();
  });

  test.each(calls)('$tool, $what', async (call) => {
    for (const root of Object.values(roots)) {
      await Promise.all(readdirSync(root).map((name) => rm(join(root, name), { recursive: true })));
      fill(root);
      call.prepare?.(root);
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
    const isSame = call.ours === undefined;
    expect(found, JSON.stringify(answers).slice(0, 5000)).toEqual({
      isSame,
      isOurs: true,
      isTheirs: true,
    });
  });
});

describe.each(Object.entries(hosts))('a large file, for a host on the %s:', (_sdk, connect) => {
  const readLarge = async (program: string) => {
    const root = await realpath(await mkdtemp(join(folders['ours'] ?? '', 'large-')));
    writeFileSync(join(root, 'b.txt'), `${'x'.repeat(99)}\n`.repeat(60_000));
    const host = await connect({ program, args: [root], home: root });
    const read = await host.call('read_text_file', { path: 'b.txt' }).catch(String);
    const after = await host.call('list_allowed_directories', {}).catch(String);
    await host.close();
    return { read, after };
  };

  test('a file of 6 MB does not cut its connection', async () => {
    expect(await readLarge(ours)).toMatchObject({
      read: { structuredContent: { truncated: true } },
      after: { structuredContent: { directories: [expect.any(String)] } },
    });
  });

  test('a file of 6 MB cuts the connection to the official server', async () => {
    expect(await readLarge(official)).toEqual({
      read: expect.stringContaining('Connection closed') as string,
      after: 'Error: Not connected',
    });
  });
});

describe.each(Object.entries(hosts))(
  'our server, started by a host on the %s,',
  (_sdk, connect) => {
    const allowedBy = async (
      program: string,
      args: readonly string[],
      roots?: readonly string[],
    ) => {
      const host = await connect({ program, args, home: root, ...(roots && { roots }) });
      onTestFinished(host.close);
      return async () => {
        const { content } = await host.call('list_allowed_directories', {});
        return String((content as readonly Block[])[0]?.text)
          .split('\n')
          .slice(1);
      };
    };
    let root = '';
    let sub = '';
    beforeAll(async () => {
      root = await realpath(await mkdtemp(join(folders['ours'] ?? '', 'start-')));
      fill(root);
      sub = join(root, 'sub');
    });

    test('allows a single file, which the official server skips', async () => {
      const args = [sub, join(root, 'a.txt')];
      expect(await (await allowedBy(ours, args))()).toEqual(args);
      expect(await (await allowedBy(official, args))()).toEqual([sub]);
    });

    test('is narrowed by the roots of its client, which replace the directories of the official server', async () => {
      for (const [directory, given] of [
        [sub, root],
        [sub, '/'],
        [root, sub],
      ] as const) {
        expect(await (await allowedBy(ours, [directory], [given]))()).toEqual([sub]);
        // The official server answers with its own directories until it knows the roots.
        const theirs = await allowedBy(official, [directory], [given]);
        await expect.poll(theirs).toEqual([given]);
      }
    });
  },
);

/** Rows about the start of a server, which tests above show. */
const startRows = ['Client roots', 'A single file as `DIR`'];

/** Returns the row of a call whose answers or files differ. */
function rowOf({ ours: mine, theirs, row }: DropInCall): string | undefined {
  const areErrors = (mine?.isError ?? false) && (theirs?.isError ?? false);
  return row ?? (areErrors ? textsOfErrors : undefined);
}

const [, section = ''] = documentation.split('\n## Differences from the official server\n');
const rows = section
  .split('\n')
  .filter((line) => /^\| [^|]/.test(line) && !line.startsWith('| | '));

test('every difference has a row in docs/filesystem.md', () => {
  const different = calls.filter((call) => call.ours !== undefined || call.leavesOtherFiles);
  const unlisted = different.filter((call) => {
    const start = rowOf(call);
    return start === undefined || rows.filter((row) => row.startsWith(`| ${start}`)).length !== 1;
  });
  expect(unlisted).toEqual([]);
});

test('every row of docs/filesystem.md has a call or a start of a server that shows it', () => {
  const starts = [...calls.flatMap((call) => rowOf(call) ?? []), ...startRows];
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((row) => !starts.some((start) => row.startsWith(`| ${start}`)))).toEqual([]);
  expect(section).toContain(`compares ${calls.length} calls of both servers`);
});
