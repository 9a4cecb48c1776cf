// npm run check-runtimes: runs program.mjs and, with a service of the demo, client-program.mjs in Node, Deno and Bun. Every runtime must print what is expected, and end. Exit code 1 where one does not. The installed programs are those for Linux on x64.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const modules = join(import.meta.dirname, '../node_modules');
const RUNTIMES = [
  { name: 'node', command: process.execPath, args: [] },
  {
    name: 'deno',
    command: join(modules, '@deno/linux-x64-glibc/deno'),
    args: [
      'run',
      '--quiet',
      '--no-prompt',
      '--allow-net',
      '--allow-read',
      '--allow-env',
      '--allow-sys',
    ],
  },
  { name: 'bun', command: join(modules, '@oven/bun-linux-x64/bin/bun'), args: [] },
];
const TIME_LIMIT_MS = 60_000;

const expectedOfCore = JSON.stringify({
  results: ['legacy', 'modern'].map((era) => ({
    era,
    tools: ['greet', 'wait'],
    content: [{ type: 'text', text: 'accept: hello Ann' }],
    progress: [1],
    code: 'request-cancelled',
    handler: 'aborted',
  })),
  statuses: [401, 200, 401],
  stats: {
    sessions: 0,
    sseConnections: 0,
    requests: 0,
    responses: 0,
    requestBytes: 0,
    unsentBytes: 0,
  },
});

const expectedOfClient = JSON.stringify({
  cuts: 1,
  retries: 1,
  status: 'completed',
  isInOrder: true,
  last: 'run.completed',
  hasWholeText: true,
  problem: 'run_not_found',
  aborted: 'enough',
});

const service = await startService();
let failed = 0;
let passed = 0;
try {
  for (const runtime of RUNTIMES) {
    report(`${runtime.name}, mcp-core`, problemOf(runtime, ['program.mjs'], expectedOfCore));
    const args = ['client-program.mjs', service.url];
    report(`${runtime.name}, client`, problemOf(runtime, args, expectedOfClient));
  }
} finally {
  await service.stop();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function report(name, problem) {
  console.log(`${name}: ${problem ?? 'passed'}`);
  if (problem === undefined) passed += 1;
  else failed += 1;
}

function problemOf({ command, args }, [program, ...programArgs], expected) {
  try {
    const output = execFileSync(
      command,
      [...args, join(import.meta.dirname, program), ...programArgs],
      { encoding: 'utf8', timeout: TIME_LIMIT_MS, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    return output.trim() === expected
      ? undefined
      : `printed ${output.trim()} instead of ${expected}`;
  } catch (error) {
    return `${error.message}\n${error.stderr ?? ''}`;
  }
}

/** Starts the demo of the agent on a free port, with a data directory of its own. */
async function startService() {
  const folder = mkdtempSync(join(tmpdir(), 'check-runtimes-'));
  const agent = join(import.meta.dirname, '../../../apps/agent/bin.js');
  const child = spawn(
    process.execPath,
    [agent, 'serve', '--demo', '--port', '0', '--data-dir', join(folder, 'data')],
    {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const exited = once(child, 'exit');
  let output = '';
  const url = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const found = /ready on +(http:\/\/[^/\s]+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`the service ended: ${output}`)));
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
