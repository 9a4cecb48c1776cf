import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { ok, READ_ONLY } from '../run/testing/fake-registry.ts';
import { openService } from '../run/testing/service.ts';
import { runCommand } from './command.ts';
import { testIo } from './testing/test-io.ts';

async function signalbox(
  argv: readonly string[],
  env: { readonly [name: string]: string } = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const io = testIo();
  const cwd = mkdtempSync(join(tmpdir(), 'replay-'));
  const code = await runCommand(io, {
    argv: ['replay', ...argv],
    env,
    cwd,
    repository: cwd,
    version: '1.2.3',
  });
  expect(readdirSync(cwd)).toEqual([]);
  return { code, ...io.written };
}

test('the option or the environment sets the data directory of the run to replay', async () => {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__x' }]]),
    tools: { a__x: { annotations: READ_ONLY, call: () => Promise.resolve(ok('x')) } },
  });
  const { engine, dataDir } = service;
  const { id } = await engine.createRun({ prompt: 'go' });
  await service.settled(id);
  const said = {
    code: 0,
    out: `run ${id} (completed, 2 turns, 1 tool call) has the same decisions\n`,
    err: '',
  };
  expect(await signalbox([id, '--data-dir', dataDir])).toEqual(said);
  expect(await signalbox([id], { SIGNALBOX_DATA_DIR: dataDir })).toEqual(said);
  expect(await signalbox(['other', '--data-dir', dataDir])).toEqual({
    code: 2,
    out: '',
    err: 'signalbox: no run other in this data directory\n',
  });
});

test.each([
  [[], 'replay takes the id of one run'],
  [['a', 'b'], 'replay takes the id of one run'],
  [['a', '--loud'], "Unknown option '--loud'"],
  [['a'], 'There is no database in'],
])('%j is rejected', async (argv, message) => {
  const { code, err } = await signalbox(argv);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

test('with DATABASE_URL the run is in that database, unless the option names a data directory', async () => {
  const url = 'postgres://ada:secret-of-ada@127.0.0.1:1/runs?connect_timeout=1';
  const refused = await signalbox(['a'], { DATABASE_URL: url });
  expect(refused.code).toBe(2);
  expect(refused.err).toContain(
    'The database postgres://127.0.0.1:1/runs cannot be opened (ECONNREFUSED)',
  );
  expect(refused.err).not.toContain('secret');
  expect(await signalbox(['a'], { DATABASE_URL: 'mysql://127.0.0.1/runs' })).toMatchObject({
    code: 2,
    err: expect.stringContaining('DATABASE_URL: must be the address of a PostgreSQL') as string,
  });
  const named = await signalbox(['a', '--data-dir', 'none'], { DATABASE_URL: url });
  expect(named.err).toContain('There is no database in');
});

test('--help describes the command', async () => {
  expect(await signalbox(['--help'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('replays a settled run') as string,
  });
});
