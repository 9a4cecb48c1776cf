// npm run check-runtimes: runs program.mjs in Node, Deno and Bun. Every runtime must print what Node prints, and end. Exit code 1 where one does not. The installed programs are those for Linux on x64.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const program = join(import.meta.dirname, 'program.mjs');
const modules = join(import.meta.dirname, '../node_modules');
const RUNTIMES = [
  { name: 'node', command: process.execPath, args: [program] },
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
      program,
    ],
  },
  { name: 'bun', command: join(modules, '@oven/bun-linux-x64/bin/bun'), args: [program] },
];
const TIME_LIMIT_MS = 60_000;

const expected = JSON.stringify({
  results: ['legacy', 'modern'].map((era) => ({
    era,
    tools: ['greet', 'wait'],
    content: [{ type: 'text', text: 'accept: hello Ann' }],
    progress: [1],
    code: 'request-cancelled',
    handler: 'aborted',
  })),
  stats: {
    sessions: 0,
    sseConnections: 0,
    requests: 0,
    responses: 0,
    requestBytes: 0,
    unsentBytes: 0,
  },
});

let failed = 0;
for (const { name, command, args } of RUNTIMES) {
  const problem = problemOf(command, args);
  console.log(`${name}: ${problem ?? 'passed'}`);
  if (problem !== undefined) failed += 1;
}
console.log(`${RUNTIMES.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function problemOf(command, args) {
  try {
    const output = execFileSync(command, args, {
      encoding: 'utf8',
      timeout: TIME_LIMIT_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return output.trim() === expected
      ? undefined
      : `printed ${output.trim()} instead of ${expected}`;
  } catch (error) {
    return `${error.message}\n${error.stderr ?? ''}`;
  }
}
