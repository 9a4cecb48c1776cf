import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createServer, defineTool, type Server } from '@signalbox/mcp-core/server';
import { createInMemoryTransports } from '@signalbox/mcp-core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createExampleServer } from './example-server.ts';
import { Host, type HostServer } from './host.ts';

function inMemory(name: string, server: Server): HostServer {
  const open = async () => {
    const [ofClient, ofServer] = createInMemoryTransports();
    await server.connect(ofServer);
    return ofClient;
  };
  return { name, open };
}

async function connect(servers: readonly HostServer[]) {
  const problems: unknown[] = [];
  let changed = (_server: string): void => undefined;
  const host = await Host.connect({
    servers,
    handlers: () => ({}),
    onToolsChanged: (server) => changed(server),
    onProblem: (server, problem) => problems.push([server, problem]),
  });
  onTestFinished(() => host.close());
  const nextChange = () => new Promise<string>((resolve) => (changed = resolve));
  return { host, problems, nextChange };
}

test('a server that cannot be reached is reported, and the others are used', async () => {
  const { host, problems } = await connect([
    { name: 'down', open: () => Promise.reject(new Error('no route')) },
    inMemory('up', createExampleServer('up')),
  ]);
  expect(problems).toEqual([['down', expect.objectContaining({ code: 'connect-failed' })]]);
  expect(await host.call('up__describe', {})).toMatchObject({ content: [{ text: 'I am up.' }] });
  await expect(host.call('down__describe', {})).rejects.toThrow(
    'No connected server has the tool "down__describe".',
  );
});

test('a change of the tools of one server changes the list of the host', async () => {
  const { host, nextChange } = await connect([
    inMemory('a', createExampleServer('a')),
    inMemory('b', createExampleServer('b')),
  ]);
  const count = host.tools.length;
  const change = nextChange();
  await host.call('b__grow', {});
  expect(await change).toBe('b');
  expect(host.tools).toHaveLength(count + 1);
  expect(host.tools.map(({ name }) => name)).toContain('b__grown');
});

test('a call that timed out or was cancelled ends in its server, other calls go on', async () => {
  let running = 0;
  const ended = Promise.withResolvers<undefined>();
  const work = defineTool({
    name: 'work',
    description: 'Works until it is cancelled.',
    inputSchema: { type: 'object', properties: {} },
    handler: async (_args, { signal, progress }) => {
      const aborted = once(signal, 'abort');
      running += 1;
      void progress({ progress: 1 });
      await aborted;
      running -= 1;
      if (running === 0) ended.resolve(undefined);
      return 'aborted';
    },
  });
  const { host } = await connect([
    inMemory('a', createServer({ info: { name: 'a', version: '1' }, tools: [work] })),
    inMemory('b', createExampleServer('b')),
  ]);
  const cancel = new AbortController();
  const outcomes = Promise.allSettled([
    host.call('a__work', {}, { timeoutMs: 20 }),
    host.call('a__work', {}, { signal: cancel.signal, onProgress: () => cancel.abort() }),
  ]);
  await expect(host.call('b__describe', {})).resolves.toBeDefined();
  expect(await outcomes).toMatchObject([
    { reason: { code: 'request-timeout' } },
    { reason: { code: 'request-cancelled' } },
  ]);
  await ended.promise;
});

test('npm start prints the output of the README and leaves no process', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'main.ts'),
  ]);
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`\n${stdout}\`\`\`\n`);
});
