import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { StdioServerConfig } from '../config/config.ts';
import type { ServerDirectory } from '../ports/server-directory.ts';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
import type { ToolDispatcher } from '../ports/tool-dispatcher.ts';
import { SchemaChecks } from '../schema/schema-checks.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { createServerPool } from './server-pool.ts';
import {
  callRequest,
  compileCache,
  recordingLogger,
  serverConfig,
  statusOf,
} from './testing/pool-fixture.ts';

const HOSTILE_SERVER = join(import.meta.dirname, 'testing', 'hostile-server.ts');
const pools: ToolDispatcher[] = [];
const schemas = new SchemaChecks({ compileMs: 400, checkMs: 200 });

afterAll(() => schemas.close());

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

/** Starts a hostile server and a well-behaved one. */
async function start(
  behaviour: string,
  rules: Partial<StdioServerConfig> = {},
): Promise<{
  readonly pool: ToolDispatcher & ServerDirectory;
  readonly hostile: ServerStatus;
  readonly log: readonly string[];
}> {
  const logger = recordingLogger();
  const server = (name: string, how: string): ReturnType<typeof serverConfig> =>
    serverConfig(name, { command: 'node', args: [HOSTILE_SERVER, how], env: compileCache });
  const pool = createServerPool({
    servers: [{ ...server('hostile', behaviour), ...rules }, server('good', 'mean')],
    clientInfo: { name: 'signalbox', version: '0' },
    logger,
    clock: new ManualClock(),
    graceMs: 300,
    schemas,
  });
  pools.push(pool);
  pool.start();
  const [hostile] = await Promise.all([
    statusOf(pool, 'hostile', isSettled),
    statusOf(pool, 'good', isSettled),
  ]);
  return { pool, hostile, log: logger.lines };
}

const isSettled = ({ state }: ServerStatus): boolean => state === 'ready' || state === 'failed';

async function expectGood(pool: ToolDispatcher): Promise<void> {
  expect(await pool.call(callRequest('good__fine'))).toMatchObject({
    type: 'result',
    result: { content: [{ text: 'fine' }] },
  });
}

test('an endless tool list fails its server, and no other', async () => {
  const { pool, hostile } = await start('endless-list');
  expect(hostile).toMatchObject({
    state: 'failed',
    error: expect.stringContaining("The server's list does not end") as string,
  });
  await expectGood(pool);
});

test('tools with excessive schemas are left out, and no other tools', async () => {
  const { pool, hostile } = await start('bombs');
  expect(hostile).toMatchObject({ state: 'ready', toolCount: 9 });
  expect(hostile.warnings.map((warning) => warning.slice(0, 60))).toEqual([
    'tool "deep" is not offered: its input schema is nested deepe',
    'tool "wide" is not offered: its input schema is larger than ',
    'tool "doubling" is not offered: its input schema cannot be e',
    'tool "remote" is not offered: its input schema does not comp',
  ]);
  expect(
    await pool.call(
      callRequest('hostile__backtracking', { arguments: { text: `${'a'.repeat(60)}!` } }),
    ),
  ).toMatchObject({
    type: 'error',
    message: expect.stringContaining('took longer than 200 ms') as string,
  });
  expect(await pool.call(callRequest('hostile__fine'))).toMatchObject({ type: 'result' });
  await expectGood(pool);
});

test('endless progress does not extend a call beyond its total time limit, and does not block other calls', async () => {
  const { pool } = await start('mean');
  let progressed = 0;
  const flooded = pool.call(
    callRequest('hostile__flood', { maxTotalMs: 2000, onProgress: () => void (progressed += 1) }),
  );
  await expectGood(pool);
  expect(await flooded).toMatchObject({
    type: 'lost',
    message: expect.stringContaining('no response arrived within 2000 ms') as string,
  });
  expect(progressed).toBeGreaterThan(0);
  await expectGood(pool);
});

test('a long text arrives, and a result over the message limit fails only its call, at once', async () => {
  const { pool, hostile } = await start('mean');
  const outcome = await pool.call(callRequest('hostile__huge', { arguments: { mebibytes: 3.9 } }));
  expect(
    outcome.type === 'result' ? JSON.stringify(outcome.result).length : outcome,
  ).toBeGreaterThan(3.8 * 1024 * 1024);
  expect(
    await pool.call(callRequest('hostile__huge', { arguments: { mebibytes: 65 } })),
  ).toMatchObject({
    type: 'error',
    message: expect.stringContaining('refused: a line is longer than 4194304 bytes') as string,
  });
  expect(await pool.call(callRequest('hostile__fine'))).toMatchObject({ type: 'result' });
  await expectGood(pool);
  expect(pool.servers()[0]).toMatchObject({ state: 'ready', pid: hostile.pid });
});

test('the configuration of a server can raise its message limit', async () => {
  const { pool } = await start('mean', { maxMessageBytes: 32 * 1024 * 1024 });
  const outcome = await pool.call(callRequest('hostile__huge', { arguments: { mebibytes: 16 } }));
  expect(
    outcome.type === 'result' ? JSON.stringify(outcome.result).length : outcome,
  ).toBeGreaterThan(16 * 1024 * 1024);
});

test.each([
  ['a million objects', 'objects', 'has more than 262144 values'],
  ['a hundred thousand levels', 'abyss', 'is nested deeper than 100 levels'],
])('a result of %s fails its call before it is parsed', async (_title, tool, problem) => {
  const { pool } = await start('mean');
  expect(await pool.call(callRequest(`hostile__${tool}`))).toMatchObject({
    type: 'error',
    message: expect.stringContaining(problem) as string,
  });
  await expectGood(pool);
});

test('superfluous content of an initialize result is not retained', async () => {
  const { pool, hostile } = await start('stuffed');
  expect(hostile).toMatchObject({ state: 'ready', serverInfo: { name: `${'n'.repeat(200)}…` } });
  expect(await pool.server('hostile')?.capabilities()).toEqual({ tools: {}, experimental: {} });
});

test('a server whose initialize result exceeds the message limit fails at once with a clear reason, and the service continues', async () => {
  const before = process.memoryUsage().rss;
  const { pool, hostile } = await start('bursting');
  expect(hostile).toMatchObject({
    state: 'failed',
    error: expect.stringContaining(
      "The server's response to initialize was refused: a line is longer than 4194304 bytes",
    ) as string,
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  await expectGood(pool);
});

test('a flooding server is stopped with a visible reason, and does not slow other servers', async () => {
  const { pool } = await start('mean');
  // In processor time, of which the load of the machine takes nothing.
  let longestTurnMs = 0;
  let turn = process.threadCpuUsage();
  const turns = setInterval(() => {
    longestTurnMs = Math.max(longestTurnMs, process.threadCpuUsage(turn).user / 1000);
    turn = process.threadCpuUsage();
  }, 1);
  const flooded = pool.call(callRequest('hostile__garbage'));
  const failed = await statusOf(pool, 'hostile', ({ state }) => state === 'failed');
  expect(failed.error).toContain('is ended: it sent more than 1000 lines that are not messages');
  expect(await flooded).toMatchObject({ type: 'lost' });
  await expectGood(pool);
  clearInterval(turns);
  expect(longestTurnMs).toBeLessThan(1000);
});

test('endless stderr output does not block responses', async () => {
  const { pool, log } = await start('mean');
  await pool.call(callRequest('hostile__noise'));
  expect(await pool.call(callRequest('hostile__fine'))).toMatchObject({ type: 'result' });
  await expectGood(pool);
  expect(log.some((line) => line.includes('noise'))).toBe(true);
});

test('a server that ignores cancellation, the end of its input and SIGTERM is killed and restarted', async () => {
  const { pool, hostile } = await start('stubborn');
  const abort = new AbortController();
  expect(
    await pool.call(
      callRequest('hostile__spin', { signal: abort.signal, onProgress: () => abort.abort() }),
    ),
  ).toEqual({ type: 'cancelled', level: 'confirmed' });
  expect(() => process.kill(hostile.pid!, 0)).toThrow('ESRCH');
  await statusOf(pool, 'hostile', ({ state, pid }) => state === 'ready' && pid !== hostile.pid);
  await expectGood(pool);
});
