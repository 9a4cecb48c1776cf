import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { copyWorkspace, removeCopy, runIn } from './testing/workspace-copy.ts';

/** A call of the official Inspector and its expected result. */
interface Call {
  readonly args: readonly string[];
  /** Part of the expected output. */
  readonly prints: string;
  /** Expected exit code: 0 for a result, 5 for a failed tool. */
  readonly code: number;
}

const NAME = 'trip-notes';
const ERAS = ['legacy', 'modern'] as const;

const CALLS: readonly Call[] = [
  { args: ['--method', 'tools/list'], prints: '"write_note"', code: 0 },
  {
    args: [
      '--method',
      'tools/call',
      '--tool-name',
      'write_note',
      '--tool-args-json',
      '{"title":"Monday","text":"Rain"}',
    ],
    prints: '"replaced":false',
    code: 0,
  },
  {
    args: [
      '--method',
      'tools/call',
      '--tool-name',
      'write_note',
      '--tool-args-json',
      '{"title":"Monday"}',
    ],
    prints: 'Invalid arguments for write_note',
    code: 5,
  },
  { args: ['--method', 'resources/list'], prints: `${NAME}://notes`, code: 0 },
  {
    args: ['--method', 'resources/read', '--uri', `${NAME}://notes`],
    prints: 'application/json',
    code: 0,
  },
  { args: ['--method', 'prompts/list'], prints: '"review_note"', code: 0 },
];

const INSPECTOR = join(
  import.meta.dirname,
  '../../../tests/inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);

/** Generates a server in a copy of the workspace and calls it with the official Inspector over stdio in both eras; the counts are the last line of stdout. */
async function main(): Promise<boolean> {
  const copy = await copyWorkspace();
  try {
    await runIn(copy, '.', ['nx', 'g', '@signalbox/workspace:server', NAME, '--no-interactive']);
    await runIn(copy, `servers/${NAME}`, ['npm', 'run', '-s', 'build']);
    const counts: number[] = [];
    for (const era of ERAS) {
      let passed = 0;
      for (const call of CALLS) passed += (await isAnswered(call, era, copy)) ? 1 : 0;
      counts.push(passed);
    }
    process.stdout.write(
      `inspector, generated server: ${ERAS.map((era, index) => `${era} ${counts[index]}/${CALLS.length}`).join(' ')}\n`,
    );
    return counts.every((count) => count === CALLS.length);
  } finally {
    await removeCopy(copy);
  }
}

async function isAnswered(
  { args, prints, code }: Call,
  era: (typeof ERAS)[number],
  copy: string,
): Promise<boolean> {
  const server = [process.execPath, join(copy, 'servers', NAME, 'bin.js')];
  const child = spawn(
    process.execPath,
    [
      INSPECTOR,
      '--cli',
      '--transport',
      'stdio',
      '--protocol-era',
      era,
      '--format',
      'json',
      ...args,
      ...server,
    ],
    {
      cwd: copy,
      env: { PATH: process.env['PATH'], HOME: copy, TMPDIR: copy },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const [stdout, stderr, exit] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const isRight = exit === code && stdout.includes(prints);
  if (!isRight)
    process.stderr.write(`\n${era} ${args.join(' ')}\nended with ${exit}\n${stdout}${stderr}`);
  return isRight;
}

process.exitCode = (await main()) ? 0 : 1;
