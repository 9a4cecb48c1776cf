import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { cpuMsOf, cpuMsOfTree, descendantsOf, residentMbOf } from './process-readings.ts';

test.runIf(process.platform === 'linux')(
  'a process that worked for 100 ms of CPU time shows them, and the memory it holds',
  async () => {
    const program = `
    const held = Buffer.alloc(64 << 20, 1);
    while (process.cpuUsage().user < 100_000);
    process.stdout.write('done');
    setInterval(() => held, 1e6);
  `;
    const child = spawn(process.execPath, ['-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    expect(cpuMsOf(child.pid!)).toBeGreaterThan(90);
    expect(residentMbOf(child.pid!)).toBeGreaterThan(67);
    expect(cpuMsOfTree(child.pid!)).toBeGreaterThan(90);
    child.kill('SIGKILL');
    await exited;
    expect([cpuMsOfTree(child.pid!), descendantsOf(child.pid!)]).toEqual([0, []]);
  },
);
