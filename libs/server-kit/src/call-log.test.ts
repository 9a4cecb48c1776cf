import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { connectInMemory, createTestContext } from '@signalbox/mcp-core/testing';
import { describe, expect, test } from 'vitest';
import { logCall, logErrors, logToolCalls } from './call-log.ts';
import { createLogger } from './logger.ts';

function recorder() {
  const lines: string[] = [];
  const log = createLogger('debug', {
    write: (line) => lines.push(line.replace(/^\S+ /, '').replace(/ms=\d+/, 'ms=N')),
  });
  return { lines, log };
}

describe('logCall', () => {
  test('says that a call finished, with the last value of each fact', async () => {
    const { lines, log } = recorder();
    const body = (note: (name: string, value: number) => void) => {
      note('scanned', 1);
      note('found', 2);
      note('scanned', 3);
      return 'output';
    };
    expect(await logCall({ tool: 'search', signal: new AbortController().signal, log }, body)).toBe(
      'output',
    );
    expect(lines).toEqual(['debug tool=search outcome=finished scanned=3 found=2 ms=N\n']);
  });

  test('says that a call failed or was cancelled, and passes the error on', async () => {
    const { lines, log } = recorder();
    const error = new Error('no');
    const fail = () => Promise.reject(error);
    await expect(
      logCall({ tool: 'a', signal: new AbortController().signal, log }, fail),
    ).rejects.toBe(error);
    await expect(logCall({ tool: 'b', signal: AbortSignal.abort(), log }, fail)).rejects.toBe(
      error,
    );
    expect(lines).toEqual([
      'debug tool=a outcome=failed ms=N\n',
      'debug tool=b outcome=cancelled ms=N\n',
    ]);
  });
});

test('logToolCalls logs a round with input requests as asked, and a result with isError as failed', async () => {
  const { lines, log } = recorder();
  const annotations = {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };
  const tool = defineTool({
    name: 'ask',
    description: 'Asks',
    inputSchema: { type: 'object', properties: {} },
    annotations,
    handler: async (_args, context) => {
      const { action } = await context.elicit('sure', {
        message: 'Sure?',
        requestedSchema: { type: 'object', properties: {} },
      });
      return { content: [], isError: action !== 'accept' };
    },
  });
  const server = createServer({
    info: { name: 's', version: '1' },
    tools: logToolCalls([tool], log),
  });
  const client = await connectInMemory(server, {
    info: { name: 'c', version: '1' },
    era: 'modern',
    handlers: { elicit: () => Promise.resolve({ action: 'decline' }) },
  });
  await client.callTool('ask', {});
  await client.close();
  expect(lines).toEqual([
    'debug tool=ask outcome=asked ms=N\n',
    'debug tool=ask outcome=failed ms=N\n',
  ]);
});

test('logToolCalls changes nothing but the handler, which gets its arguments and context', async () => {
  const { lines, log } = recorder();
  const tool = {
    name: 'echo',
    description: 'Echo',
    inputSchema: { type: 'object' },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: (...received: unknown[]) => ({ structuredContent: { received } }),
  } as const;
  const [logged] = logToolCalls([tool], log);
  expect({ ...logged, handler: tool.handler }).toEqual(tool);
  const context = createTestContext();
  const output = await logged!.handler({ a: 1 } as never, context);
  expect(output).toEqual({ structuredContent: { received: [{ a: 1 }, context] } });
  expect(lines).toEqual(['debug tool=echo outcome=finished ms=N\n']);
});

test('logErrors keeps the stack of an error on one line', () => {
  const { lines, log } = recorder();
  logErrors(log)(new Error('broken'));
  logErrors(log)('odd');
  expect(lines).toEqual([
    expect.stringMatching(/^error Error: broken\\n +at .*\n$/),
    'error odd\n',
  ]);
});
