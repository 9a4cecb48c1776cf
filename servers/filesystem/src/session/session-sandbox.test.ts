import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { symlink } from 'node:fs/promises';
import { createTemporaryFolders } from '@signalbox/file-sandbox/testing';
import {
  chooseOpener,
  createSandboxBase,
  findAllowedDirectories,
  type Sandbox,
} from '@signalbox/file-sandbox';
import type { Root } from '@signalbox/mcp-core';
import type { LegacySession } from '@signalbox/mcp-core/server';
import { createTestContext } from '@signalbox/mcp-core/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RootsMode } from './roots-mode.ts';
import { SessionSandbox } from './session-sandbox.ts';

type Answer = () => Promise<readonly Root[] | undefined>;

/** A session whose client answers with the current value of `answer`. */
class ScriptedSession implements LegacySession {
  readonly signal = new AbortController().signal;
  readonly clientInfo = undefined;
  readonly extensions = {};
  readonly timeouts: (number | undefined)[] = [];
  answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }

  listRoots(options?: { readonly timeoutMs?: number }): Promise<readonly Root[] | undefined> {
    this.timeouts.push(options?.timeoutMs);
    return this.answer();
  }
}

function rootsAt(...paths: string[]): Answer {
  return () => Promise.resolve(paths.map((each) => ({ uri: pathToFileURL(each).href })));
}

interface TestSession {
  readonly session: SessionSandbox;
  readonly warnings: readonly string[];
  readonly changes: readonly 'changed'[];
}

async function sessionOf(
  directories: readonly string[],
  rootsMode: RootsMode = 'narrow',
): Promise<TestSession> {
  const opener = await chooseOpener('/');
  const { directories: cli } = await findAllowedDirectories(directories, opener);
  const warnings: string[] = [];
  const changes: 'changed'[] = [];
  const session = new SessionSandbox({
    cli,
    rootsMode,
    base: createSandboxBase(opener),
    warn: (message) => warnings.push(message),
    decided: (_sandbox, isChange) => isChange && changes.push('changed'),
  });
  return { session, warnings, changes };
}

const legacy = createTestContext({ era: 'legacy' });

function allowed(sandbox: Sandbox): { directories: string[]; source: string } {
  return {
    directories: sandbox.directories.map((directory) => directory.path),
    source: sandbox.source,
  };
}

test('removed roots abort the calls in them, and other calls continue', async () => {
  await using folders = await createTemporaryFolders({ root: { 'a/x': '', 'b/x': '' } });
  const [a, b] = [path.join(folders.root, 'a'), path.join(folders.root, 'b')];
  const { session } = await sessionOf([folders.root]);
  const client = new ScriptedSession(rootsAt(a));
  session.attach(client);
  const first = await session.forRequest(legacy);
  client.answer = rootsAt(a, b);
  session.attach(client);
  const wider = await session.forRequest(legacy);
  expect([first.revoked.aborted, wider.revoked.aborted]).toEqual([false, false]);
  client.answer = rootsAt(b);
  session.attach(client);
  const other = await session.forRequest(legacy);
  expect([wider.revoked.aborted, other.revoked.aborted]).toEqual([true, false]);
  expect(wider.revoked.reason).toMatchObject({
    reason: 'outside',
    message: expect.stringContaining('has changed its roots') as string,
  });
});

describe('the sandbox of a legacy session', () => {
  test('is the command line when the client has no roots capability', async () => {
    await using folders = await createTemporaryFolders();
    const { session, warnings } = await sessionOf([folders.root]);
    session.attach(new ScriptedSession(() => Promise.resolve(undefined)));
    expect(allowed(await session.forRequest(legacy))).toEqual({
      directories: [folders.root],
      source: 'cli',
    });
    expect(warnings).toEqual([]);
  });

  test('is the command line, with one warning, when no root is inside', async () => {
    await using folders = await createTemporaryFolders();
    const { session, warnings } = await sessionOf([folders.root]);
    session.attach(new ScriptedSession(rootsAt(folders.outside, '/', `${folders.root}-evil`)));
    expect(allowed(await session.forRequest(legacy))).toEqual({
      directories: [folders.root],
      source: 'cli',
    });
    expect(warnings).toEqual([
      expect.stringContaining(`${folders.outside}: outside the allowed directories`),
    ]);
  });

  test('is the command line, with one warning, when no roots are given at first', async () => {
    await using folders = await createTemporaryFolders();
    const { session, warnings } = await sessionOf([folders.root]);
    session.attach(new ScriptedSession(rootsAt()));
    expect(allowed(await session.forRequest(legacy))).toEqual({
      directories: [folders.root],
      source: 'cli',
    });
    expect(warnings).toHaveLength(1);
  });

  test('is the roots inside, and other roots are ignored with a warning', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a/x': '', 'b/x': '' } });
    const [a, b] = [path.join(folders.root, 'a'), path.join(folders.root, 'b')];
    const { session, warnings } = await sessionOf([folders.root]);
    session.attach(new ScriptedSession(rootsAt(a, b, folders.outside)));
    const sandbox = await session.forRequest(legacy);
    expect(allowed(sandbox)).toEqual({ directories: [a, b], source: 'roots' });
    await expect(sandbox.pin(folders.root)).rejects.toMatchObject({ reason: 'outside' });
    expect(warnings).toEqual([
      `ignored roots of the client: ${folders.outside}: outside the allowed directories`,
    ]);
  });

  test('counts the directory itself as inside', async () => {
    await using folders = await createTemporaryFolders();
    const { session } = await sessionOf([folders.root, folders.outside]);
    session.attach(new ScriptedSession(rootsAt(folders.root)));
    expect(allowed(await session.forRequest(legacy))).toEqual({
      directories: [folders.root],
      source: 'roots',
    });
  });

  test('judges a root by where it really is', async () => {
    await using folders = await createTemporaryFolders();
    await symlink(folders.outside, path.join(folders.root, 'link'));
    const { session } = await sessionOf([folders.root]);
    session.attach(new ScriptedSession(rootsAt(path.join(folders.root, 'link'))));
    expect(allowed(await session.forRequest(legacy))).toEqual({
      directories: [folders.root],
      source: 'cli',
    });
  });

  test('ignores roots that are missing or no file URL of this machine', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a/x': '' } });
    const { session, warnings } = await sessionOf([folders.root]);
    const uris = [
      'https://example.com/x',
      'file://elsewhere/x',
      'not a uri',
      pathToFileURL(path.join(folders.root, 'none')).href,
      pathToFileURL(path.join(folders.root, 'a')).href,
    ];
    session.attach(new ScriptedSession(() => Promise.resolve(uris.map((uri) => ({ uri })))));
    expect(allowed(await session.forRequest(legacy)).directories).toEqual([
      path.join(folders.root, 'a'),
    ]);
    expect(warnings).toEqual([
      expect.stringMatching(/example\.com.*elsewhere.*not a uri.*none: no such directory/),
    ]);
  });

  test('is empty once the client has removed its effective roots, until it adds some', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a/x': '' } });
    const a = path.join(folders.root, 'a');
    const { session } = await sessionOf([folders.root]);
    const client = new ScriptedSession(rootsAt(a));
    session.attach(client);
    expect(allowed(await session.forRequest(legacy)).directories).toEqual([a]);
    for (const answer of [rootsAt(), rootsAt(folders.outside)]) {
      client.answer = answer;
      session.attach(client);
      const sandbox = await session.forRequest(legacy);
      expect(allowed(sandbox)).toEqual({ directories: [], source: 'roots' });
      await expect(sandbox.pin('.')).rejects.toThrow('No directory is allowed');
    }
    client.answer = rootsAt(a);
    session.attach(client);
    expect(allowed(await session.forRequest(legacy)).directories).toEqual([a]);
  });

  test('makes a request wait for the newest answer', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a/x': '' } });
    const answer = Promise.withResolvers<readonly Root[]>();
    const { session } = await sessionOf([folders.root]);
    session.attach(new ScriptedSession(() => answer.promise));
    let isServed = false;
    const waiting = session.forRequest(legacy).then((sandbox) => {
      isServed = true;
      return sandbox;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isServed).toBe(false);
    answer.resolve(await rootsAt(path.join(folders.root, 'a'))().then((roots) => roots ?? []));
    expect(allowed(await waiting).directories).toEqual([path.join(folders.root, 'a')]);
  });

  test('fails the waiting requests after a failure, and requests the roots again for the next request', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a/x': '' } });
    const answer = Promise.withResolvers<readonly Root[]>();
    const client = new ScriptedSession(() => answer.promise);
    const { session } = await sessionOf([folders.root]);
    session.attach(client);
    const waiting = [session.forRequest(legacy), session.forRequest(legacy)];
    answer.reject(new Error('no answer in 2000 ms'));
    for (const outcome of await Promise.allSettled(waiting))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: 'refused' } });
    client.answer = rootsAt(path.join(folders.root, 'a'));
    expect(allowed(await session.forRequest(legacy)).directories).toEqual([
      path.join(folders.root, 'a'),
    ]);
    expect(client.timeouts).toEqual([2000, 2000]);
  });

  test('a failed later answer does not fall back to an earlier or wider set', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a/x': '' } });
    const client = new ScriptedSession(rootsAt(path.join(folders.root, 'a')));
    const { session } = await sessionOf([folders.root]);
    session.attach(client);
    await session.forRequest(legacy);
    client.answer = () => Promise.reject(new Error('silent'));
    session.attach(client);
    await expect(session.forRequest(legacy)).rejects.toThrow('did not answer roots/list');
    client.answer = rootsAt(folders.outside);
    expect(allowed(await session.forRequest(legacy)).directories).toEqual([]);
  });

  test('is not known before the client has finished initializing', async () => {
    await using folders = await createTemporaryFolders();
    const { session } = await sessionOf([folders.root]);
    await expect(
      session.forRequest(createTestContext({ era: 'legacy', roots: [] })),
    ).rejects.toThrow('notifications/initialized');
    expect(allowed(await session.forRequest(legacy)).directories).toEqual([folders.root]);
  });

  test('is the roots when the command line names no directory, and nothing when they are empty', async () => {
    await using folders = await createTemporaryFolders();
    const { session } = await sessionOf([]);
    const client = new ScriptedSession(rootsAt(folders.root));
    session.attach(client);
    expect(allowed(await session.forRequest(legacy))).toEqual({
      directories: [folders.root],
      source: 'roots',
    });
    expect(allowed(await session.forConnection(legacy)).directories).toEqual([folders.root]);
    client.answer = rootsAt();
    session.attach(client);
    await expect((await session.forRequest(legacy)).pin('.')).rejects.toThrow(
      'let the client announce a root',
    );
  });

  test('lists and subscriptions keep the command line while tools are narrowed', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a/x': '' } });
    const { session } = await sessionOf([folders.root]);
    session.attach(new ScriptedSession(rootsAt(path.join(folders.root, 'a'))));
    expect(allowed(await session.forConnection(legacy)).directories).toEqual([folders.root]);
  });

  test('reports a change only when a later answer allows something else', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a/x': '', 'b/x': '' } });
    const { session, changes } = await sessionOf([folders.root]);
    const client = new ScriptedSession(rootsAt(path.join(folders.root, 'a')));
    for (const [name, expected] of [
      ['a', 0],
      ['a', 0],
      ['b', 1],
      ['b', 1],
      ['none', 2],
    ] as const) {
      client.answer = rootsAt(path.join(folders.root, name));
      session.attach(client);
      await session.forRequest(legacy);
      expect(changes).toHaveLength(expected);
    }
  });

  test('requests the roots on the stream of the request when the client answers nowhere else', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await using folders = await createTemporaryFolders({ root: { 'a/x': '' } });
    const { session } = await sessionOf([folders.root]);
    session.attach(new ScriptedSession(() => Promise.withResolvers<readonly Root[]>().promise));
    const roots = [{ uri: pathToFileURL(path.join(folders.root, 'a')).href }];
    const waiting = session.forRequest(createTestContext({ era: 'legacy', roots }));
    await vi.advanceTimersByTimeAsync(1000);
    expect(allowed(await waiting).directories).toEqual([path.join(folders.root, 'a')]);
    expect(allowed(await session.forRequest(legacy)).directories).toEqual([
      path.join(folders.root, 'a'),
    ]);
  });

  test('is the roots alone when they replace the command line, and empty once they are removed', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a/x': '' } });
    const { session } = await sessionOf([folders.root], 'replace');
    const client = new ScriptedSession(rootsAt());
    for (const [answer, directories, source] of [
      [rootsAt(), [folders.root], 'cli'],
      [
        rootsAt(folders.outside, path.join(folders.root, 'a')),
        [folders.outside, path.join(folders.root, 'a')],
        'roots',
      ],
      [rootsAt(), [], 'roots'],
    ] as const) {
      client.answer = answer;
      session.attach(client);
      expect(allowed(await session.forRequest(legacy))).toEqual({ directories, source });
      expect(allowed(await session.forConnection(legacy)).directories).toEqual(directories);
    }
  });

  test('never requests the roots when they are ignored', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a/x': '' } });
    const client = new ScriptedSession(rootsAt(path.join(folders.root, 'a')));
    const { session } = await sessionOf([folders.root], 'ignore');
    session.attach(client);
    expect(allowed(await session.forRequest(legacy))).toEqual({
      directories: [folders.root],
      source: 'cli',
    });
    expect(client.timeouts).toEqual([]);
  });
});

describe('the sandbox of a modern request', () => {
  test('is the roots of its client with replace, and the command line for a client without roots', async () => {
    await using folders = await createTemporaryFolders();
    const { session } = await sessionOf([folders.root], 'replace');
    const roots = [{ uri: pathToFileURL(folders.outside).href }];
    expect(allowed(await session.forRequest(createTestContext({ era: 'modern', roots })))).toEqual({
      directories: [folders.outside],
      source: 'roots',
    });
    expect(
      allowed(await session.forRequest(createTestContext({ era: 'modern' }))).directories,
    ).toEqual([folders.root]);
    expect(
      allowed(await session.forConnection(createTestContext({ era: 'modern', roots }))).directories,
    ).toEqual([folders.root]);
  });

  test('is the command line, without a roots request', async () => {
    await using folders = await createTemporaryFolders({ root: { 'a/x': '' } });
    const { session } = await sessionOf([folders.root]);
    const context = {
      ...createTestContext({ era: 'modern' }),
      listRoots: () => Promise.reject(new Error('asked')),
    };
    expect(allowed(await session.forRequest(context))).toEqual({
      directories: [folders.root],
      source: 'cli',
    });
  });

  test('is the roots of its own client when the command line names no directory', async () => {
    await using folders = await createTemporaryFolders();
    const { session } = await sessionOf([]);
    const roots = [{ uri: pathToFileURL(folders.root).href }];
    expect(
      allowed(await session.forRequest(createTestContext({ era: 'modern', roots }))).directories,
    ).toEqual([folders.root]);
    await expect(session.forRequest(createTestContext({ era: 'modern' }))).rejects.toMatchObject({
      code: -32021,
    });
    expect(
      allowed(await session.forConnection(createTestContext({ era: 'modern', roots }))).directories,
    ).toEqual([]);
  });
});
