import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { implementations, OURS, subjects, type Implementation } from './implementations.ts';
import type { Load } from './load.ts';
import { measureClient } from './measure-client.ts';
import { measureServer } from './measure-server.ts';
import { measureStart } from './measure-start.ts';
import { startServer } from './server-process.ts';

const tiny: Load = { rounds: 1, warmUpCalls: 2, sequentialCalls: 2, concurrentCalls: 70, lists: 2, floods: 1, starts: 1 };
const fromSource = ['--conditions=@signalbox/source'];
const positive = expect.toSatisfy((value) => typeof value === 'number' && value > 0, 'a positive number') as number;
const perOperation = { cpuMicros: positive, perSecond: positive };

describe.each(subjects.map((subject) => ({ name: `${subject.implementation.name}, ${subject.era}`, subject })))('$name', ({ subject }) => {
  test('the server answers calls and lists', async () => {
    expect(await measureServer(subject, tiny, fromSource)).toEqual({ serverSequential: perOperation, serverConcurrent: perOperation, serverList: perOperation });
  });

  test('the server refuses an argument of the wrong type', async () => {
    const server = startServer(subject.implementation.server, { era: subject.era, nodeArguments: fromSource, reportsUsage: false });
    await server.connection.open();
    const refusal = server.connection.request('tools/call', { name: 'echo', arguments: { text: 7 } });
    expect(await refusal.then(({ isError }) => isError, () => true)).toBe(true);
    await server.stop();
  });

  test('the start of the server is measured', async () => {
    const { start } = await measureStart(subject, tiny, fromSource);
    expect(start).toMatchObject({ readyMs: positive });
  });

  test('the client calls, lists and hears progress', async () => {
    const figures = await measureClient(subject, tiny, fromSource);
    expect(figures).toMatchObject({ clientSequential: perOperation, clientConcurrent: perOperation, clientList: perOperation, flood: perOperation });
  });
});

test.each(['legacy', 'modern'] as const)('our client loses no progress, %s', async (era) => {
  const implementation = implementations.find(({ name }) => name === OURS)!;
  const { flood } = await measureClient({ implementation, era }, tiny, fromSource);
  expect(flood).toMatchObject({ lostPerCall: 0 });
});

test('a server that answers something else is noticed', async () => {
  await withServer(
    `process.stdin.on('data', (chunk) => {
      for (const line of String(chunk).trim().split('\\n')) {
        const { id } = JSON.parse(line);
        if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'bad day' }] } }) + '\\n');
      }
    });`,
    async (implementation) => {
      await expect(measureServer({ implementation, era: 'legacy' }, tiny, [])).rejects.toThrow('echo answered something else');
    },
  );
});

test('a server that ends is noticed', async () => {
  await withServer("process.stdin.once('data', () => process.exit());", async (implementation) => {
    await expect(measureServer({ implementation, era: 'legacy' }, tiny, [])).rejects.toThrow('closed its output');
    await expect(measureStart({ implementation, era: 'modern' }, tiny, [])).rejects.toThrow('closed its output');
  });
});

test('a client that ends is noticed', async () => {
  await withServer('process.exit()', async (implementation) => {
    await expect(measureClient({ implementation, era: 'legacy' }, tiny, [])).rejects.toThrow('ended without figures');
  });
});

/** Stands in for both a server and the module of a client. */
async function withServer(program: string, run: (implementation: Implementation) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const file = join(folder, 'program.mjs');
  try {
    await writeFile(file, program);
    await run({ name: 'broken', eras: ['legacy'], server: file, client: file });
  } finally {
    await rm(folder, { recursive: true });
  }
}
