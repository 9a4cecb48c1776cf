import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const tools = join(import.meta.dirname, '..', '..');

/** Runs the bootstrap of a workspace that is not installed, with an npm that writes down its arguments and then runs the given code. */
async function bootstrap(
  code: string,
  {
    wanted = { 'node_modules/one': { version: '1.0.0' } },
    installed = {},
  }: {
    readonly wanted?: object;
    readonly installed?: object;
  } = {},
): Promise<{ readonly status: number | null; readonly calls: readonly string[] }> {
  const root = await mkdtemp(join(tmpdir(), 'bootstrap-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'tools'));
  for (const name of ['bootstrap.mjs', 'build-state.mjs'])
    await cp(join(tools, name), join(root, 'tools', name));
  await writeFile(
    join(root, 'package-lock.json'),
    JSON.stringify({ packages: { '': {}, ...wanted } }),
  );
  await mkdir(join(root, 'node_modules'));
  await writeFile(
    join(root, 'node_modules', '.package-lock.json'),
    JSON.stringify({ packages: installed }),
  );
  const npm = join(root, 'npm.mjs');
  const log = join(root, 'calls');
  await writeFile(
    npm,
    `import { appendFileSync } from 'node:fs';
const args = process.argv.slice(2);
appendFileSync(${JSON.stringify(log)}, args.join(' ') + '\\n');
${code}`,
  );
  const { status } = spawnSync(process.execPath, [join(root, 'tools', 'bootstrap.mjs')], {
    env: { PATH: process.env['PATH'], npm_execpath: npm },
  });
  const calls = await readFile(log, 'utf8').catch(() => '');
  return { status, calls: calls.split('\n').filter((line) => line !== '') };
}

test('packages are installed with the metadata of the cache', async () => {
  const { status, calls } = await bootstrap('');
  expect(status).toBe(0);
  expect(calls).toEqual([expect.stringMatching(/^ci .*--prefer-offline$/)]);
});

test('metadata in the cache that does not know a version of the lock file is asked for again', async () => {
  const { status, calls } = await bootstrap(
    "process.exitCode = args.includes('--prefer-offline') ? 1 : 0;",
  );
  expect(status).toBe(0);
  expect(calls).toHaveLength(2);
  expect(calls[1]).not.toContain('offline');
});

test('an installation that fails twice ends with the exit code of npm', async () => {
  const { status, calls } = await bootstrap('process.exitCode = 7;');
  expect(status).toBe(7);
  expect(calls).toHaveLength(2);
});

test.each([
  ['for this machine is installed', { os: [process.platform], cpu: [process.arch] }, 1],
  ['for another machine may be missing', { os: ['aix'], cpu: [process.arch] }, 0],
  ['for another processor may be missing', { os: [process.platform], cpu: ['s390'] }, 0],
  ['for one C library may be missing', { os: [process.platform], libc: ['musl'] }, 0],
  ['for all machines may be missing', {}, 0],
])('an optional package %s', async (_, machine, count) => {
  const one = { 'node_modules/one': { version: '1.0.0' } };
  const { calls } = await bootstrap('', {
    wanted: { ...one, 'node_modules/two': { version: '1.0.0', optional: true, ...machine } },
    installed: one,
  });
  expect(calls).toHaveLength(count);
});
