import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createServer } from '../server/create-server.ts';
import type { ToolDefinition } from '../server/tools/tool.ts';
import { modern } from '../testing/raw-client.test.support.ts';
import { serveStdio } from './serve-stdio.ts';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

function toolNamed(name: string, handler: ToolDefinition['handler']): ToolDefinition {
  return { name, description: name, inputSchema: { type: 'object' }, annotations, handler };
}

function serve(
  tools: readonly ToolDefinition[],
  options: { output?: Writable; maxLineBytes?: number; progressIntervalMs?: number } = {},
) {
  const input = new PassThrough();
  const output = options.output ?? new PassThrough();
  const errors: unknown[] = [];
  const { maxLineBytes, progressIntervalMs } = options;
  const server = createServer({
    info: { name: 's', version: '1' },
    tools,
    events: { onError: (error) => errors.push(error) },
    ...(progressIntervalMs === undefined ? {} : { settings: { limits: { progressIntervalMs } } }),
  });
  const served = serveStdio(server, {
    input,
    output,
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
  });
  const write = (message: object): boolean =>
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ended = served.then(({ closed }) => closed);
  const close = async (): Promise<void> => (await served).close();
  return { input, output: output as PassThrough, errors, served: ended, close, write };
}

/** Returns the next line of the output, parsed. */
async function nextLine(output: PassThrough): Promise<unknown> {
  for (;;) {
    const chunk = output.read() as Buffer | null;
    if (chunk !== null) return JSON.parse(String(chunk).split('\n', 1)[0] ?? '') as unknown;
    await new Promise((resolve) => output.once('readable', resolve));
  }
}

describe('serveStdio', () => {
  test('responds line by line', async () => {
    const { input, output, served, write } = serve([]);
    write({ id: 1, method: 'ping' });
    expect(await nextLine(output)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    input.end();
    await served;
  });

  test('aborts the handlers when it is closed, waits for their finally blocks, and stops the tasks', async () => {
    const steps: string[] = [];
    const work = toolNamed('work', async (_args, context) => {
      try {
        await once(context.signal, 'abort');
        return { content: [] };
      } finally {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        steps.push('call cleaned up');
      }
    });
    const long = toolNamed('long', async (_args, context) => {
      await context.startTask();
      await once(context.signal, 'abort');
      steps.push('task stopped');
      return { content: [] };
    });
    const { output, close, served, write } = serve([work, { ...long, task: 'optional' }]);
    const meta = {
      'io.modelcontextprotocol/clientCapabilities': {
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    };
    write({ id: 1, method: 'tools/call', params: modern({ name: 'work' }) });
    write({ id: 2, method: 'tools/call', params: modern({ name: 'long' }, meta) });
    expect(await nextLine(output)).toMatchObject({ result: { resultType: 'task' } });
    await close();
    expect(steps.toSorted()).toEqual(['call cleaned up', 'task stopped']);
    await expect(served).resolves.toBeUndefined();
  });

  test('closes even if a handler never ends', async () => {
    const begun = Promise.withResolvers<void>();
    const hang = toolNamed('hang', () => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    const { close, write } = serve([hang]);
    write({ id: 1, method: 'tools/call', params: modern({ name: 'hang' }) });
    await begun.promise;
    await expect(close()).resolves.toBeUndefined();
  });

  test('stops the tasks when the input has ended', async () => {
    const begun: AbortSignal[] = [];
    const work = toolNamed('work', async (_args, context) => {
      await context.startTask();
      begun.push(context.signal);
      return new Promise(() => undefined);
    });
    const { input, output, served, write } = serve([{ ...work, task: 'optional' }]);
    const meta = {
      'io.modelcontextprotocol/clientCapabilities': {
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    };
    write({ id: 1, method: 'tools/call', params: modern({ name: 'work' }, meta) });
    expect(await nextLine(output)).toMatchObject({ result: { resultType: 'task' } });
    input.end();
    await served;
    expect(begun.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('responds to unreadable lines without an id, and continues', async () => {
    const { input, output, write } = serve([], { maxLineBytes: 100 });
    input.write('not json\n');
    expect(await nextLine(output)).toMatchObject({ error: { code: -32700 } });
    input.write(`${'x'.repeat(101)}\n`);
    expect(await nextLine(output)).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('longer than 100 bytes') as string },
    });
    write({ id: 2, method: 'ping' });
    expect(await nextLine(output)).toMatchObject({ id: 2 });
  });

  test('responds after the end of the input to earlier requests, then resolves', async () => {
    const gate = Promise.withResolvers<undefined>();
    const slow = toolNamed('slow', async () => {
      await gate.promise;
      return { structuredContent: { slow: true } };
    });
    const { input, output, served, write } = serve([slow]);
    write({ id: 1, method: 'tools/call', params: modern({ name: 'slow' }) });
    input.end(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 2,
        method: 'subscriptions/listen',
        params: modern({ notifications: { toolsListChanged: true } }),
      }),
    );
    await once(input, 'end');
    gate.resolve(undefined);
    await served;
    const messages = String(output.read())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id?: number; method?: string });
    const kinds = new Set(messages.map(({ id, method }) => method ?? id));
    expect(kinds).toEqual(
      new Set([1, 2, 'notifications/subscriptions/acknowledged', 'notifications/cancelled']),
    );
  });

  test('aborts running handlers 400 ms after the end of the input, then resolves within 100 ms', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const started = Promise.withResolvers<undefined>();
    const aborted: unknown[] = [];
    const wait = toolNamed('wait', async (_args, { signal }) => {
      signal.addEventListener('abort', () => aborted.push(signal.reason));
      started.resolve(undefined);
      return new Promise(() => undefined);
    });
    const { input, output, served, write } = serve([wait]);
    write({ id: 1, method: 'tools/call', params: modern({ name: 'wait' }) });
    await started.promise;
    input.end();
    await once(input, 'end');
    await vi.advanceTimersByTimeAsync(399);
    expect(aborted).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(aborted).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(100);
    await served;
    expect(output.read()).toBeNull();
  });

  test('rejects input requests immediately after the end of the input', async () => {
    const ask = toolNamed('ask', async (_args, context) => {
      const failure: unknown = await context.listRoots().catch((error: unknown) => error);
      return { structuredContent: { code: (failure as { code: string }).code } };
    });
    const { input, output, served, write } = serve([ask]);
    write({
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: { roots: {} },
        clientInfo: { name: 'c', version: '1' },
      },
    });
    expect(await nextLine(output)).toHaveProperty('result');
    write({ id: 2, method: 'tools/call', params: { name: 'ask' } });
    expect(await nextLine(output)).toMatchObject({ method: 'roots/list' });
    input.end();
    await served;
    expect(await nextLine(output)).toMatchObject({
      id: 2,
      result: { structuredContent: { code: 'connection-closed' } },
    });
  });

  test('ends when the reader disconnects', async () => {
    const output = new Writable({
      write: (_chunk, _encoding, done) => {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    });
    const { served, write, errors } = serve([], { output });
    write({ id: 1, method: 'ping' });
    await served;
    expect(errors).toEqual([]);
  });
});

describe('a server process', () => {
  /** Runs the module text as a separate process. */
  async function run(
    source: string,
    use: (child: ReturnType<typeof spawn>) => Promise<void>,
  ): Promise<void> {
    const folder = await mkdtemp(path.join(tmpdir(), 'serve-stdio-'));
    const main = path.join(folder, 'main.mjs');
    await writeFile(main, source);
    const child = spawn(process.execPath, ['--conditions=@signalbox/source', main], {
      stdio: 'pipe',
    });
    try {
      await use(child);
    } finally {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true });
    }
  }

  const entry = (name: string): string =>
    pathToFileURL(fileURLToPath(new URL(`../${name}/index.ts`, import.meta.url))).href;
  const big = `
    import { createServer } from '${entry('server')}';
    import { serveStdio } from '${entry('stdio')}';
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    const big = { name: 'big', description: 'Big', inputSchema: { type: 'object' }, annotations, handler: () => ({ content: [{ type: 'text', text: 'x'.repeat(4_000_000) }] }) };
    await serveStdio(createServer({ info: { name: 'p', version: '1' }, tools: [big] }));
    process.exitCode = 7;
  `;
  const call = (id: number): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: modern({ name: 'big' }) })}\n`;
  const exitOf = (child: ReturnType<typeof spawn>): Promise<number | null> =>
    new Promise((resolve) => child.once('exit', resolve));

  test('exits when its input ends', async () => {
    await run(big, async (child) => {
      const exited = exitOf(child);
      child.stdin?.end();
      expect(await exited).toBe(7);
    });
  });

  test('exits despite a running task, which is aborted', async () => {
    const task = `
      import { createServer } from '${entry('server')}';
      import { serveStdio } from '${entry('stdio')}';
      const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
      const handler = async (_args, context) => {
        await context.startTask({ ttlMs: 3_600_000 });
        context.progress({ progress: 1, message: 'begun' });
        const work = setInterval(() => undefined, 1000);
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        clearInterval(work);
        process.exitCode = 7;
        return { content: [] };
      };
      await serveStdio(createServer({ info: { name: 'p', version: '1' }, tools: [{ name: 'big', description: 'Task', inputSchema: { type: 'object' }, annotations, task: 'optional', handler }] }));
    `;
    const meta = {
      'io.modelcontextprotocol/clientCapabilities': {
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    };
    await run(task, async (child) => {
      const exited = exitOf(child);
      child.stdin?.write(
        `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: modern({ name: 'big' }, meta) })}\n`,
      );
      await new Promise((resolve) => child.stdout?.once('readable', resolve));
      child.stdin?.end();
      expect(await exited).toBe(7);
    });
  });

  test('responds to everything that was piped into it', async () => {
    await run(big, async (child) => {
      const exited = exitOf(child);
      child.stdin?.end(call(1) + call(2).trimEnd());
      let text = '';
      for await (const chunk of child.stdout ?? []) text += String(chunk);
      expect(
        text
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { id: number }).id),
      ).toEqual([1, 2]);
      expect(await exited).toBe(7);
    });
  });

  test('exits when its input ends even if nobody reads its output', async () => {
    await run(big, async (child) => {
      const exited = exitOf(child);
      child.stdin?.write(call(1) + call(2) + call(3));
      await new Promise((resolve) => child.stdout?.once('readable', resolve));
      child.stdin?.end();
      child.stdout?.destroy();
      expect(await exited).toBe(7);
    });
  });

  test('exits without a crash when its reader disconnects during a write', async () => {
    await run(big, async (child) => {
      const exited = exitOf(child);
      const errors: string[] = [];
      child.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(text));
      child.stdin?.on('error', () => undefined);
      child.stdin?.write(call(1) + call(2) + call(3));
      await new Promise((resolve) => child.stdout?.once('readable', resolve));
      child.stdout?.destroy();
      expect(await exited).toBe(7);
      expect(errors).toEqual([]);
    });
  });

  test('responds to a line of 12 MiB over its limit with an error, and continues', async () => {
    await run(
      big.replace('tools: [big] })', 'tools: [big] }), { maxLineBytes: 1024 * 1024 }'),
      async (child) => {
        const answers: unknown[] = [];
        createInterface(child.stdout!).on('line', (line) => answers.push(JSON.parse(line)));
        child.stdin?.write(
          `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(12 * 1024 * 1024)}"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n`,
        );
        await vi.waitFor(() => expect(answers).toHaveLength(2), 15_000);
        expect(answers).toMatchObject([
          {
            error: {
              code: -32600,
              message: expect.stringContaining('longer than 1048576 bytes') as string,
            },
          },
          { id: 2 },
        ]);
      },
    );
  });

  test('sends large results completely to a slow reader', async () => {
    await run(big, async (child) => {
      child.stdin?.write(call(1) + call(2));
      let text = '';
      let lines = 0;
      for await (const chunk of child.stdout ?? []) {
        text += String(chunk);
        lines += String(chunk).split('\n').length - 1;
        if (lines === 2) break;
      }
      const answers = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { id: number; result: { content: [{ text: string }] } });
      expect(answers.map(({ id, result }) => [id, result.content[0].text.length])).toEqual([
        [1, 4_000_000],
        [2, 4_000_000],
      ]);
    });
  });

  test('a handler that awaits its progress pauses while nobody reads, and loses no step', async () => {
    const count = 20_000;
    let reported = 0;
    const flood = toolNamed('flood', async (_args, context) => {
      for (reported = 1; reported < count; reported += 1)
        await context.progress({ progress: reported });
      await context.progress({ progress: reported });
      return { content: [] };
    });
    const { output, write } = serve([flood], { progressIntervalMs: 0 });
    write({
      id: 1,
      method: 'tools/call',
      params: modern({ name: 'flood' }, { progressToken: 'p' }),
    });
    let before = -1;
    await vi.waitFor(
      () => {
        const isStill = reported === before;
        before = reported;
        expect(isStill && reported > 0).toBe(true);
      },
      { timeout: 10_000, interval: 50 },
    );
    expect(reported).toBeLessThan(count / 2);
    const steps: unknown[] = [];
    for await (const line of createInterface(output)) {
      const message = JSON.parse(line) as { id?: number; params?: { progress: number } };
      if (message.id === 1) break;
      steps.push(message.params?.progress);
    }
    expect(steps).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });

  test('loads neither the validator nor the client before it needs them', async () => {
    const source = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ resolve: (specifier, context, next) => { const result = next(specifier, context); loaded.push(result.url); return result; } });
      await import('${entry('server')}');
      const { serveStdio } = await import('${entry('stdio')}');
      process.stdout.write(JSON.stringify(loaded));
    `;
    await run(source, async (child) => {
      let text = '';
      for await (const chunk of child.stdout ?? []) text += String(chunk);
      const loaded = JSON.parse(text) as string[];
      expect(loaded.some((url) => url.endsWith('/serve-stdio.ts'))).toBe(true);
      expect(loaded.filter((url) => /ajv|\/client\//u.test(url))).toEqual([]);
    });
  });
});
