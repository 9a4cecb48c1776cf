import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ourServers, serveOverHttp, type OurServer } from './our-servers.ts';

const launcher = join(
  import.meta.dirname,
  '..',
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
/** Exit codes of the Inspector for a result and for a failed tool. */
const RESULT = 0;
const TOOL_FAILED = 5;

let home: string;
let ours: Awaited<ReturnType<typeof ourServers>>;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'inspector-'));
  ours = await ourServers();
});

afterAll(async () => {
  await ours.remove();
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
});

async function inspect(
  target: readonly string[],
  method: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(
    process.execPath,
    [launcher, '--cli', ...target, '--format', 'json', ...method],
    {
      cwd: home,
      env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const code = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const [output, problems] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, output: output + problems };
}

const targets: readonly [string, (server: OurServer) => Promise<readonly string[]>][] = [
  [
    'stdio, legacy',
    (server) => Promise.resolve([process.execPath, ...server.args, '--protocol-era', 'legacy']),
  ],
  [
    'stdio, modern',
    (server) => Promise.resolve([process.execPath, ...server.args, '--protocol-era', 'modern']),
  ],
  [
    'HTTP, modern',
    async (server) => {
      const served = await serveOverHttp(server);
      onTestFinished(() => served.stop());
      return [served.url, '--transport', 'http', '--protocol-era', 'modern'];
    },
  ],
];

// npm run inspector and .ci/run install it (110 MB); elsewhere these tests count as skipped.
describe.skipIf(!existsSync(launcher)).each(['filesystem', 'sqlite', 'weather'])(
  'the Inspector calls server-%s',
  (name) => {
    test.each(targets)(
      'over %s: lists, a result, the text of an error',
      { timeout: 180_000 },
      async (_title, targetOf) => {
        const own = ours.servers.find((server): server is OurServer => server.name === name);
        if (own === undefined) throw new Error(`no server ${name}`);
        const target = await targetOf(own);
        expect(await inspect(target, ['--method', 'tools/list'])).toEqual({
          code: RESULT,
          output: expect.stringContaining(`"${own.works.tool}"`) as string,
        });
        for (const [{ tool, args, text: part }, code] of [
          [own.works, RESULT],
          [own.fails, TOOL_FAILED],
        ] as const) {
          const outcome = await inspect(target, [
            '--method',
            'tools/call',
            '--tool-name',
            tool,
            '--tool-args-json',
            JSON.stringify(args),
          ]);
          expect(outcome).toEqual({ code, output: expect.stringContaining(part) as string });
        }
      },
    );
  },
);
