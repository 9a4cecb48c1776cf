import { hashOf, type Sandbox } from '@signalbox/file-sandbox';
import type { JsonObject } from '@signalbox/mcp-core';
import { createTestContext } from '@signalbox/mcp-core/testing';
import { defaultLimits } from '../src/files/limits.ts';
import { exploreProjectPrompt } from '../src/prompts/explore-project.ts';
import { completePath } from '../src/resources/complete-path.ts';
import { listResources } from '../src/resources/list-resources.ts';
import { NameCache } from '../src/resources/name-cache.ts';
import { readResourceContents } from '../src/resources/read-resource.ts';
import type { SessionSandbox } from '../src/session/session-sandbox.ts';
import type { ToolCaller } from '../src/testing/call-tool.ts';

/** A kind of request that reads the swapped directory. */
export interface ReadKind {
  readonly name: string;
  /** Sends the request; resolves with its whole answer. */
  readonly send: (tools: ToolCaller) => Promise<unknown>;
  /** Part of the JSON of an answer about the directory inside. */
  readonly shows: string;
}

export const secret = 'OUTSIDE-SECRET';
/** Size of a file outside; no file inside has this size. */
const outsideSize = 900;
/** Time of everything outside. */
export const outsideTime = new Date('2001-02-03T04:05:06Z');
/** Content of `d/x.txt`, inside and outside. */
export const inside = 'inside';
export const outside = `${secret} `.repeat(outsideSize / 15);

/** Texts of which an answer has one if it shows anything of the outside. */
export const marks: readonly string[] = [
  secret,
  Buffer.from(outside).toString('base64').slice(0, 60),
  'outside-only',
  // A directory outside, a file inside.
  'shape/',
  `"size":${outsideSize}`,
  '2001-02-03T',
  hashOf(Buffer.from(outside)),
];

/**
 * Every request that reads. `list_allowed_directories` is missing, because it opens no path: the
 * attack cannot change its answer.
 */
export const readKinds: readonly ReadKind[] = [
  tool('read_file', { path: 'd/x.txt' }, inside),
  tool('read_text_file', { path: 'd/x.txt' }, inside),
  { ...tool('read_text_file', { path: 'd/x.txt', tail: 1 }, inside), name: 'read_text_file, tail' },
  tool('read_media_file', { path: 'd/x.txt' }, Buffer.from(inside).toString('base64')),
  tool('read_multiple_files', { paths: ['d/x.txt', 'd/e.txt'] }, inside),
  tool('get_file_info', { path: 'd/x.txt', hash: true }, hashOf(Buffer.from(inside))),
  tool('list_directory', { path: 'd' }, 'inner.txt'),
  tool('list_directory_with_sizes', { path: 'd' }, 'inner.txt'),
  tool('directory_tree', { path: '.' }, 'inner.txt'),
  tool('search_files', { path: '.', pattern: '**/*.txt' }, 'inner.txt'),
  tool('search_content', { path: '.', pattern: 'inside|OUTSIDE', regex: true }, 'inner.txt'),
  request('summarize_file', summarize, inside),
  request('resource, a file', ({ sandbox }) => readResource(sandbox, 'd/x.txt'), inside),
  request('resource, a directory', ({ sandbox }) => readResource(sandbox, 'd'), 'inner.txt'),
  request(
    'resource, the list',
    ({ sandbox }) => listResources(sandbox, undefined, { signal, names: new NameCache() }),
    '"name":"d"',
  ),
  request('completion', ({ sandbox }) => completePath(sandbox, 'd/s', signal), '"d/shape"'),
  request('prompt', readPrompt, inside),
];

const { signal } = new AbortController();

function tool(name: string, args: JsonObject, shows: string): ReadKind {
  return request(name, (tools) => tools.call(name, args), shows);
}

function request(name: string, send: ReadKind['send'], shows: string): ReadKind {
  return { name, send, shows };
}

/** Asks a model that repeats its prompt. */
function summarize(tools: ToolCaller): Promise<unknown> {
  const context = createTestContext({
    sample: (_key, { messages }) => ({
      role: 'assistant',
      content: { type: 'text', text: JSON.stringify(messages) },
      model: 'echo',
    }),
  });
  return tools.call('summarize_file', { path: 'd/x.txt' }, context);
}

async function readResource(sandbox: Sandbox, name: string): Promise<unknown> {
  await using pinned = await sandbox.pin(name);
  return await readResourceContents(pinned, {
    uri: 'file:///race',
    sandbox,
    limits: defaultLimits,
    signal,
  });
}

async function readPrompt({ sandbox }: ToolCaller): Promise<unknown> {
  // The prompt asks its session for nothing but the sandbox.
  const session = { forRequest: () => Promise.resolve(sandbox) } as unknown as SessionSandbox;
  return await exploreProjectPrompt(session).handler({ path: 'd' } as never, createTestContext());
}
