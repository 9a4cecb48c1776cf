import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { connectHttp, connectStdio } from '../adapter/client.mjs';
import adapter from '../adapter/index.mjs';

const WORKING = { tools: 5, content: [{ type: 'text', text: 'good day' }], heard: 1000 };

test.each(adapter.stdio)(
  'the stdio server and client of the adapter work together, %s',
  async (era) => {
    const args = ['--conditions=@signalbox/source', fileURLToPath(adapterFile('stdio-server.mjs'))];
    const env = {
      BENCH_TOOLS: '3',
      // Compiled once for all processes of the tests.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    };
    expect(await use(await connectStdio({ command: process.execPath, args, env, era }))).toEqual(
      WORKING,
    );
  },
);

test.each(adapter.http)(
  'the HTTP server and client of the adapter work together, %s',
  async (mode) => {
    const { port } = await startHttp(mode, []);
    expect(
      await use(await connectHttp({ port, era: mode === 'modern' ? 'modern' : 'legacy' })),
    ).toEqual(WORKING);
  },
);

test('the HTTP server of the adapter tells its memory', async () => {
  const { port } = await startHttp('legacy-stateful', ['--expose-gc']);
  const response = await fetch(`http://127.0.0.1:${String(port)}/__mem`);
  expect(await response.json()).toEqual({
    heapUsed: expect.any(Number) as number,
    external: expect.any(Number) as number,
    rss: expect.any(Number) as number,
  });
});

test.each(Object.values(adapter.entries).flat())(
  'the adapter names an entry that there is: %s',
  async (entry) => {
    expect(await import(entry)).toBeTypeOf('object');
  },
);

async function use(client: Awaited<ReturnType<typeof connectHttp>>): Promise<object> {
  let heard = 0;
  const { length: tools } = await client.listTools();
  const { content } = await client.callTool('echo', { text: 'good day' });
  await client.callToolWithProgress('flood', { n: 1000 }, () => (heard += 1));
  await client.close();
  return { tools, content, heard };
}

async function startHttp(
  mode: string,
  nodeArguments: readonly string[],
): Promise<{ readonly port: number }> {
  const child = fork(fileURLToPath(adapterFile('http-server.mjs')), {
    execArgv: ['--conditions=@signalbox/source', ...nodeArguments],
    env: { ...process.env, BENCH_MODE: mode, BENCH_TOOLS: '3' },
    silent: true,
  });
  onTestFinished(() => stop(child));
  const [line] =
    child.stdout === null ? [] : ((await once(child.stdout, 'data')) as readonly unknown[]);
  return { port: Number(String(line).replace('PORT ', '')) };
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

function adapterFile(name: string): string {
  return new URL(`../adapter/${name}`, import.meta.url).href;
}
