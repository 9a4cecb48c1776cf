import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, symlink, utimes } from 'node:fs/promises';
import path from 'node:path';
import { createTemporaryFolders, startSwapper } from '@signalbox/file-sandbox/testing';
import { hashOf, type Opener, type Sandbox } from '@signalbox/file-sandbox';
import type { JsonObject } from '@signalbox/mcp-core';
import { createTestContext } from '@signalbox/mcp-core/testing';
import { defaultLimits } from '../src/files/limits.ts';
import { exploreProjectPrompt } from '../src/prompts/explore-project.ts';
import { completePath } from '../src/resources/complete-path.ts';
import { listResources } from '../src/resources/list-resources.ts';
import { NameCache } from '../src/resources/name-cache.ts';
import { readResourceContents } from '../src/resources/read-resource.ts';
import type { SessionSandbox } from '../src/session/session-sandbox.ts';
import { createToolCaller } from '../src/testing/call-tool.ts';

export interface AttackPlan {
  readonly reads: number;
  readonly writes: number;
  /** Whether to end the attack at its first success; for a control, which must be broken. */
  readonly stopsWhenBroken?: boolean;
}

export interface AttackOutcome {
  readonly reads: number;
  readonly writes: number;
  /** Number of calls that succeeded. */
  readonly succeeded: number;
  /** Number of answers that contain data from outside. */
  readonly leaks: number;
  /** Paths outside that were added, removed or changed. */
  readonly changedOutside: readonly string[];
  readonly swaps: number;
  readonly elapsedMs: number;
}

const secret = 'OUTSIDE-SECRET';
/** Size of the files outside; no file inside has this size. */
const outsideSize = 900;
const outsideTime = new Date('2001-02-03T04:05:06Z');
const outside = {
  'x.txt': `${secret} `.repeat(outsideSize / 15),
  'README.md': secret,
  'e.txt': secret,
  'outside-only.txt': secret,
  'log.txt': secret,
  'deep/x.txt': secret,
};
/** Number of parallel calls. */
const width = 40;
/** Number of names that writes use in turn, so that directories stay small. */
const names = 64;

type Call = readonly [tool: string, args: JsonObject];

/** Requests other than tool calls: resources, completion of paths, and the prompt. */
const otherCalls: { readonly [name: string]: (sandbox: Sandbox) => Promise<unknown> } = {
  'resource, a file': (sandbox) => readResource(sandbox, 'd/x.txt'),
  'resource, a directory': (sandbox) => readResource(sandbox, 'd'),
  'resource, the list': (sandbox) =>
    listResources(sandbox, undefined, { signal: neverAborted, names: new NameCache() }),
  completion: (sandbox) => completePath(sandbox, 'd/', neverAborted),
  prompt: (sandbox) => readPrompt(sandbox, 'd'),
};

const neverAborted = new AbortController().signal;

async function readPrompt(sandbox: Sandbox, directory: string): Promise<unknown> {
  // The prompt asks its session for nothing but the sandbox.
  const session = { forRequest: () => Promise.resolve(sandbox) } as unknown as SessionSandbox;
  const args = { path: directory } as never;
  return exploreProjectPrompt(session).handler(args, createTestContext());
}

async function readResource(sandbox: Sandbox, name: string): Promise<unknown> {
  await using pinned = await sandbox.pin(name);
  return await readResourceContents(pinned, {
    uri: 'file:///race',
    sandbox,
    limits: defaultLimits,
    signal: neverAborted,
  });
}

const readCalls: readonly Call[] = [
  ['read_text_file', { path: 'd/x.txt' }],
  ['read_text_file', { path: 'd/x.txt', tail: 1 }],
  ['read_media_file', { path: 'd/x.txt' }],
  ['read_multiple_files', { paths: ['d/x.txt', 'd/e.txt'] }],
  ['get_file_info', { path: 'd/x.txt', hash: true }],
  ['list_directory', { path: 'd' }],
  ['list_directory_with_sizes', { path: 'd' }],
  ['directory_tree', { path: '.' }],
  ['search_files', { path: '.', pattern: '**/*.txt' }],
  ['search_content', { path: '.', pattern: 'OUTSIDE' }],
  ...Object.keys(otherCalls).map((name): Call => [name, {}]),
];

function writeCall(round: number): Call {
  const name = `n${Math.floor(round / 10) % names}`;
  const calls: readonly Call[] = [
    ['write_file', { path: 'd/x.txt', content: 'inside' }],
    ['write_file', { path: `d/${name}.txt`, content: 'inside' }],
    ['append_file', { path: 'd/log.txt', content: 'inside\n' }],
    [
      'edit_file',
      {
        path: 'd/e.txt',
        edits: [
          { oldText: round % 20 < 10 ? 'one' : 'two', newText: round % 20 < 10 ? 'two' : 'one' },
        ],
      },
    ],
    ['copy_file', { source: 'd/x.txt', destination: `d/${name}-copy.txt` }],
    ['move_file', { source: `d/${name}.txt`, destination: `d/${name}-moved.txt` }],
    ['delete_file', { path: `d/${name}-copy.txt` }],
    ['delete_file', { path: `d/${name}-moved.txt` }],
    ['create_directory', { path: `d/deep/${name}` }],
    ['delete_file', { path: `d/deep/${name}`, recursive: true }],
  ];
  return calls[round % calls.length] ?? ['list_directory', { path: 'd' }];
}

/**
 * Calls the tools while another thread swaps one of their directories with a link to the outside as
 * fast as possible.
 */
export async function attack(
  opener: Opener,
  { reads, writes, stopsWhenBroken = false }: AttackPlan,
): Promise<AttackOutcome> {
  await using folders = await createTemporaryFolders({
    root: {
      'd/x.txt': 'inside',
      'd/e.txt': 'one',
      'd/log.txt': 'inside\n',
      'd/README.md': 'inside',
    },
    outside,
  });
  await mkdir(path.join(folders.root, 'd/deep'));
  await symlink(folders.outside, path.join(folders.root, 'link'));
  for (const name of Object.keys(outside))
    await utimes(path.join(folders.outside, name), outsideTime, outsideTime);
  const marks = [
    secret,
    'outside-only',
    `"size":${outsideSize}`,
    '2001-02-03T',
    hashOf(Buffer.from(outside['x.txt'])),
  ];
  const before = contentsOf(folders.outside);
  const tools = await createToolCaller([folders.root], { opener });
  const count = { reads: 0, writes: 0, succeeded: 0, leaks: 0 };
  const run = async ([tool, args]: Call) => {
    const called =
      otherCalls[tool]?.(tools.sandbox).then((answer) => JSON.stringify(answer)) ??
      tools.call(tool, args).then(({ text, structured }) => text + JSON.stringify(structured));
    const answer = await called.then(
      (shown) => ({ isDone: true, shown }),
      (error: unknown) => ({ isDone: false, shown: String(error) }),
    );
    if (answer.isDone) count.succeeded++;
    if (marks.some((mark) => answer.shown.includes(mark))) count.leaks++;
  };
  const began = performance.now();
  await using swapper = await startSwapper(folders.root);
  while (count.reads < reads || count.writes < writes) {
    const batch = Array.from({ length: width }, (_, index): Call => {
      const isRead = count.writes >= writes || (count.reads < reads && index % 4 !== 0);
      return isRead
        ? (readCalls[count.reads++ % readCalls.length] ?? ['list_directory', { path: 'd' }])
        : writeCall(count.writes++);
    });
    await Promise.all(batch.map(run));
    const isBroken =
      stopsWhenBroken &&
      count.leaks > 0 &&
      differences(before, contentsOf(folders.outside)).length > 0;
    if (isBroken) break;
  }
  const swaps = await swapper.stop();
  return {
    ...count,
    changedOutside: differences(before, contentsOf(folders.outside)),
    swaps,
    elapsedMs: performance.now() - began,
  };
}

type Contents = ReadonlyMap<string, string>;

function contentsOf(folder: string): Contents {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [
        path.relative(folder, file),
        entry.isFile() ? readFileSync(file, 'utf8') : 'directory',
      ];
    }),
  );
}

function differences(before: Contents, after: Contents): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
}
