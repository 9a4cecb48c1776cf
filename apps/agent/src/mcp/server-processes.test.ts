import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import type { StdioServerConfig } from '../config/config.ts';
import type { ServerDirectory } from '../ports/server-directory.ts';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
import type { ToolDispatcher } from '../ports/tool-dispatcher.ts';
import { sharedChecks } from '../schema/testing/shared-checks.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { connectStdioServer } from './connect-stdio-server.ts';
import { createServerPool } from './server-pool.ts';
import {
  callRequest,
  compileCache,
  recordingLogger,
  serverConfig,
  statusOf,
} from './testing/pool-fixture.ts';

const RAW_SERVER = join(import.meta.dirname, 'testing', 'raw-server.ts');
const CORE_SERVER = join(import.meta.dirname, 'testing', 'core-server.ts');
const core = {
  args: ['--conditions=@signalbox/source', CORE_SERVER],
  env: compileCache,
};
const pools: ToolDispatcher[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function start(
  servers: { readonly [name: string]: Partial<StdioServerConfig> },
  { graceMs = 2000 } = {},
): {
  readonly pool: ToolDispatcher & ServerDirectory;
  readonly clock: ManualClock;
  readonly log: readonly string[];
} {
  const clock = new ManualClock();
  const logger = recordingLogger();
  const pool = createServerPool({
    servers: Object.entries(servers).map(([name, rest]) =>
      serverConfig(name, { command: 'node', ...rest }),
    ),
    clientInfo: { name: 'signalbox', version: '0' },
    logger,
    clock,
    graceMs,
    schemas: sharedChecks,
  });
  pools.push(pool);
  pool.start();
  return { pool, clock, log: logger.lines };
}

const raw = (
  behaviour: string,
  rest: Partial<StdioServerConfig> = {},
): Partial<StdioServerConfig> => ({
  args: [RAW_SERVER, behaviour],
  ...rest,
  env: { ...compileCache, ...rest.env },
});
const isReady = (status: ServerStatus): boolean => status.state === 'ready';
const isFailed = (status: ServerStatus): boolean => status.state === 'failed';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('broken servers do not affect the others', () => {
  test('missing command, missing folder, immediate exit, silence, garbage, beside a working server', async () => {
    const { pool } = start({
      missing: { command: 'no-such-command-here' },
      homeless: raw('fine', { cwd: join(tmpdir(), 'no-such-folder-here') }),
      leaving: raw('exit', { env: { KEY: 'hush-hush' } }),
      silent: raw('silent'),
      garbage: raw('garbage'),
      fine: raw('fine'),
    });
    const [missing, homeless, leaving, garbage, fine] = await Promise.all([
      statusOf(pool, 'missing', isFailed),
      statusOf(pool, 'homeless', isFailed),
      statusOf(pool, 'leaving', isFailed),
      statusOf(pool, 'garbage', isReady),
      statusOf(pool, 'fine', isReady),
    ]);
    expect(missing.error).toBe(
      "command 'no-such-command-here' was not found: check mcpServers.missing.command",
    );
    expect(homeless.error).toMatch(
      /^the working directory '.*no-such-folder-here' does not exist: check mcpServers.homeless.cwd$/,
    );
    expect(leaving.error).toContain('exited with code 3');
    expect(leaving.error).toContain('started with ***');
    expect(leaving.error).toContain('check that mcpServers.leaving starts an MCP server');
    expect(garbage).toMatchObject({ era: 'legacy', protocolVersion: '2025-06-18', toolCount: 8 });
    expect(fine).toMatchObject({ serverInfo: { name: 'raw', version: '1' } });
    expect(pool.servers().find(({ name }) => name === 'silent')?.state).toBe('connecting');
    expect(
      await pool.call(callRequest('fine__echo', { arguments: { a: 1 }, idempotencyKey: 'k' })),
    ).toMatchObject({ type: 'result' });
  });

  test('closing also ends a server that never responded', async () => {
    const { pool, log } = start({ silent: raw('silent') });
    await expect
      .poll(() => log.some((line) => line.includes('started with')), { timeout: 10_000 })
      .toBe(true);
    await pool.close();
    expect(pool.servers()[0]?.state).toBe('closed');
  });
});

test('a server that needs three seconds to start is reached in its era', async () => {
  const { pool } = start({
    slow: { ...core, env: { ...core.env, START_MS: '3000' } },
  });
  expect(await statusOf(pool, 'slow', isReady)).toMatchObject({ era: 'modern' });
});

test('a server that never answers the probe is connected within a short limit too', async () => {
  const { pool } = start({ deaf: raw('deaf', { connectMs: 18_000 }) });
  expect(await statusOf(pool, 'deaf', isReady)).toMatchObject({ era: 'legacy' });
});

test('for a server that exits when it is probed, only the second process is recorded', async () => {
  const seen: string[] = [];
  const reaper = {
    endOrphans: () => Promise.resolve(0),
    mark: () => 'm',
    add: (pid: number) => seen.push(`+${pid}`),
    remove: (pid: number) => seen.push(`-${pid}`),
    close: () => Promise.resolve(),
  };
  const silent = {
    schemaEvaluator: { check: () => [] },
    onStderr: () => undefined,
    onLog: () => undefined,
    onElicitationComplete: () => undefined,
    onClosed: () => undefined,
  };
  const options = {
    info: { name: 'signalbox', version: '0' },
    handlers: {},
    signal: new AbortController().signal,
    ...silent,
  };
  const connection = await connectStdioServer(
    serverConfig('old', { command: 'node', ...raw('unprobed') }),
    options,
    { reaper, graceMs: 2000 },
  );
  const [first] = seen;
  expect(seen).toEqual([first, first?.replace('+', '-'), `+${connection.pid}`]);
  await connection.close();
  expect(seen.at(-1)).toBe(`-${connection.pid}`);
});

describe('calls', () => {
  test('progress comes in order and before the outcome', async () => {
    const { pool } = start({ fine: raw('fine') });
    await statusOf(pool, 'fine', isReady);
    const seen: unknown[] = [];
    const outcome = await pool.call(
      callRequest('fine__progress', {
        onProgress: ({ progress, message }) => seen.push([progress, message]),
      }),
    );
    seen.push(outcome.type);
    expect(seen).toEqual([[1, 'step 1'], [2, 'step 2'], [3, 'step 3'], 'result']);
  });

  test('a server that crashes during a call loses only that call, and is restarted', async () => {
    const { pool, clock } = start({ fine: raw('fine'), other: raw('fine') });
    const [before] = await Promise.all([
      statusOf(pool, 'fine', isReady),
      statusOf(pool, 'other', isReady),
    ]);
    const [lost, kept] = await Promise.all([
      pool.call(callRequest('fine__die')),
      pool.call(callRequest('other__echo')),
    ]);
    expect(lost).toMatchObject({
      type: 'lost',
      message: expect.stringContaining('exited with code 7') as string,
    });
    expect(kept.type).toBe('result');
    await statusOf(pool, 'fine', isFailed);
    clock.advance(2000);
    const after = await statusOf(pool, 'fine', isReady);
    expect(after.pid).not.toBe(before.pid);
    expect((await pool.call(callRequest('fine__echo'))).type).toBe('result');
  });

  test('a hanging call is cancelled, and the server stays connected', async () => {
    const { pool } = start({ fine: raw('fine') });
    const { pid } = await statusOf(pool, 'fine', isReady);
    const abort = new AbortController();
    expect(
      await pool.call(
        callRequest('fine__hang', { signal: abort.signal, onProgress: () => abort.abort() }),
      ),
    ).toEqual({ type: 'cancelled', level: 'delivered' });
    expect(isAlive(pid!)).toBe(true);
  });

  test('a hanging server is stopped by a cancellation and restarted', async () => {
    const { pool } = start({ fine: raw('fine') }, { graceMs: 200 });
    const { pid } = await statusOf(pool, 'fine', isReady);
    const abort = new AbortController();
    expect(
      await pool.call(
        callRequest('fine__spin', { signal: abort.signal, onProgress: () => abort.abort() }),
      ),
    ).toEqual({ type: 'cancelled', level: 'confirmed' });
    expect(isAlive(pid!)).toBe(false);
    expect((await statusOf(pool, 'fine', isReady)).pid).not.toBe(pid);
  });

  test('a call without progress is lost after its inactivity limit', async () => {
    const { pool } = start({ fine: raw('fine') });
    await statusOf(pool, 'fine', isReady);
    const outcome = await pool.call(callRequest('fine__hang', { inactivityMs: 100 }));
    expect(outcome).toMatchObject({
      type: 'lost',
      message: expect.stringMatching(
        /cancelled \(the server received the cancellation\), and it is unknown whether it took effect$/,
      ) as string,
    });
  });

  test('an input request of a legacy server is answered through the call that caused it', async () => {
    const { pool } = start({ fine: raw('fine') });
    await statusOf(pool, 'fine', isReady);
    const outcome = await pool.call(
      callRequest('fine__ask', {
        inputHandlers: {
          elicit: () => Promise.resolve({ action: 'accept', content: { by: 'me' } }),
        },
      }),
    );
    expect(outcome).toEqual({
      type: 'result',
      result: { content: [{ type: 'text', text: '{"action":"accept","content":{"by":"me"}}' }] },
    });
  });

  test('tools that a server adds are offered', async () => {
    const { pool } = start({ fine: raw('fine') });
    await statusOf(pool, 'fine', isReady);
    await pool.call(callRequest('fine__grow'));
    await statusOf(pool, 'fine', ({ toolCount }) => toolCount === 9);
    expect((await pool.call(callRequest('fine__grown-8'))).type).toBe('result');
  });
});

test.each(['modern', 'legacy'] as const)(
  'a server of the %s era supports all features',
  async (era) => {
    const { pool } = start({
      core: { ...core, era },
    });
    expect(await statusOf(pool, 'core', isReady)).toMatchObject({
      era,
      instructions: 'Count.',
      toolCount: 2,
    });
    expect(pool.find('core__count')).toMatchObject({
      annotations: { readOnlyHint: false, idempotentHint: false },
    });
    const progress: number[] = [];
    const count = (idempotencyKey: string): ReturnType<ToolDispatcher['call']> =>
      pool.call(
        callRequest('core__count', {
          idempotencyKey,
          arguments: { by: 2 },
          onProgress: (update) => progress.push(update.progress),
        }),
      );
    const first = await count('a');
    expect(first).toMatchObject({ type: 'result', result: { structuredContent: { total: 2 } } });
    expect(progress).toEqual([1]);
    expect(await count('a')).toMatchObject({ result: { structuredContent: { total: 2 } } });
    expect(await count('b')).toMatchObject({ result: { structuredContent: { total: 4 } } });
    expect(await pool.call(callRequest('core__count', { arguments: {} }))).toMatchObject({
      type: 'result',
      result: { isError: true },
    });
  },
);

test.each(['modern', 'legacy'] as const)(
  'a %s server sees the roots that are set while it runs',
  async (era) => {
    const { pool } = start({
      core: { ...core, era, roots: ['/a'] },
    });
    await statusOf(pool, 'core', isReady);
    const roots = async (idempotencyKey: string): Promise<unknown> => {
      const outcome = await pool.call(callRequest('core__roots', { idempotencyKey }));
      return outcome.type === 'result' ? outcome.result.structuredContent : outcome;
    };
    expect(await roots('before')).toEqual({ roots: ['file:///a'] });
    await pool.control('core')?.setRoots(['/b', '/c']);
    expect(await roots('after')).toEqual({ roots: ['file:///b', 'file:///c'] });
    expect(pool.servers()).toMatchObject([{ restarts: 0, roots: ['/b', '/c'] }]);
  },
);

test('a server sees only its own environment and folder, and ends with the pool', async () => {
  process.env['SIGNALBOX_TEST_SECRET'] = 'hush';
  const { pool } = start({ fine: raw('fine', { env: { KEY: 'mine' }, cwd: tmpdir() }) });
  const { pid } = await statusOf(pool, 'fine', isReady);
  const outcome = await pool.call(callRequest('fine__environment'));
  delete process.env['SIGNALBOX_TEST_SECRET'];
  const [content] = outcome.type === 'result' ? outcome.result.content : [];
  const seen = JSON.parse(content?.type === 'text' ? content.text : '{}') as {
    readonly env: { readonly [name: string]: string };
    readonly pid: number;
    readonly cwd: string;
  };
  expect(seen).toMatchObject({ pid, env: { KEY: 'mine' } });
  expect(seen.env).not.toHaveProperty('SIGNALBOX_TEST_SECRET');
  expect(isAlive(pid!)).toBe(true);
  await pool.close();
  expect(isAlive(pid!)).toBe(false);
});
