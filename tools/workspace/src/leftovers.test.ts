import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const { endLeftovers } = (await import(
  new URL('../../../vitest.leftovers.ts', import.meta.url).href
)) as { readonly endLeftovers: (folder: string) => readonly string[] };

const IDLE = 'setInterval(() => undefined, 1000)';

async function start(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ['-e', `console.log('up'); ${IDLE}`, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

test.runIf(process.platform === 'linux')(
  'processes with the folder of the tests in their arguments or environment are ended after the tests, others are not',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'leftovers-'));
    const named = await start([join(folder, 'data')], {});
    const inherited = await start([], { TMPDIR: folder });
    const other = await start([folder.slice(0, -1)], {});
    const ended = Promise.all([once(named, 'exit'), once(inherited, 'exit')]);
    expect(endLeftovers(folder)).toHaveLength(2);
    await ended;
    expect(other.exitCode ?? other.signalCode).toBe(null);
  },
);
