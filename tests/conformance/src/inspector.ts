import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { bundleFixture } from './bundle-fixture.ts';
import { startServer } from './start-server.ts';

/** A call of the official Inspector and its expected result. */
interface Call {
  readonly args: readonly string[];
  /** Part of the expected output. */
  readonly prints: string;
  /** 0 for a result, 5 for a failed tool. */
  readonly code: number;
}

const ERAS = ['legacy', 'modern'] as const;

const CALLS: readonly Call[] = [
  { args: ['--method', 'tools/list'], prints: '"test_simple_text"', code: 0 },
  {
    args: ['--method', 'tools/call', '--tool-name', 'greet', '--tool-args-json', '{"name":"Ada"}'],
    prints: 'Hello, Ada!',
    code: 0,
  },
  {
    args: ['--method', 'tools/call', '--tool-name', 'test_error_handling'],
    prints: 'intentionally returns an error',
    code: 5,
  },
  { args: ['--method', 'resources/list'], prints: 'test://static-text', code: 0 },
  { args: ['--method', 'resources/templates/list'], prints: 'test://template/{id}/data', code: 0 },
  {
    args: ['--method', 'resources/read', '--uri', 'test://static-text'],
    prints: 'the content of the static text resource',
    code: 0,
  },
  { args: ['--method', 'prompts/list'], prints: '"test_simple_prompt"', code: 0 },
  {
    args: [
      '--method',
      'prompts/get',
      '--prompt-name',
      'test_prompt_with_arguments',
      '--prompt-args',
      'arg1=a',
      'arg2=b',
    ],
    prints: "arg1='a', arg2='b'",
    code: 0,
  },
];

const INSPECTOR = join(
  import.meta.dirname,
  '..',
  '..',
  'inspector',
  'node_modules',
  '@modelcontextprotocol',
  'inspector',
  'clients',
  'launcher',
  'build',
  'index.js',
);

/**
 * Calls the server under test with the official Inspector in both eras. Prints the counts as the
 * last line of stdout.
 */
async function main(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-inspector-'));
  const server = await startServer(await bundleFixture('server', folder));
  try {
    const scores: string[] = [];
    for (const era of ERAS) {
      const common = [
        '--cli',
        server.url,
        '--transport',
        'http',
        '--protocol-era',
        era,
        '--format',
        'json',
      ];
      let passed = 0;
      for (const call of CALLS) passed += (await isAnswered(call, common, folder)) ? 1 : 0;
      scores.push(`${era} ${String(passed)}/${String(CALLS.length)}`);
    }
    process.stdout.write(`inspector: ${scores.join(' ')}\n`);
    return scores.every((score) =>
      score.endsWith(` ${String(CALLS.length)}/${String(CALLS.length)}`),
    );
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function isAnswered(
  { args, prints, code }: Call,
  common: readonly string[],
  home: string,
): Promise<boolean> {
  const child = spawn(process.execPath, [INSPECTOR, ...common, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const [stdout, stderr, exit] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const isRight = exit === code && stdout.includes(prints);
  if (!isRight)
    process.stderr.write(
      `\n${[...common, ...args].join(' ')}\nended with ${String(exit)}\n${stdout}${stderr}`,
    );
  return isRight;
}

process.exitCode = (await main()) ? 0 : 1;
