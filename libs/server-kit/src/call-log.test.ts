import { ToolError } from '@signalbox/mcp-core';
import {
  createServer,
  definePrompt,
  defineResource,
  defineTool,
  type InteractiveContext,
  type ToolOutput,
} from '@signalbox/mcp-core/server';
import { connectInMemory, createTestContext } from '@signalbox/mcp-core/testing';
import { describe, expect, test } from 'vitest';
import { logCalls, logErrors, noteFact } from './call-log.ts';
import { createLogger } from './logger.ts';

function recorder() {
  const lines: string[] = [];
  const log = createLogger('debug', {
    write: (line) => lines.push(line.replace(/^\S+ /, '').replace(/ms=\d+/, 'ms=N')),
  });
  return { lines, log };
}

/** Connects to a server with one logged tool, a prompt and a resource. */
async function connect(
  handler: (context: InteractiveContext) => Promise<ToolOutput> | ToolOutput,
  era: 'modern' | 'legacy' = 'modern',
) {
  const { lines, log } = recorder();
  const server = createServer({
    info: { name: 's', version: '1' },
    tools: [
      defineTool({
        name: 'work',
        description: 'Works',
        inputSchema: { type: 'object', properties: {} },
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        handler: (_args, context) => handler(context),
      }),
    ],
    prompts: [definePrompt({ name: 'greet', handler: () => ({ messages: [] }) })],
    resources: [defineResource({ uri: 'note://1', name: 'Note', read: () => 'a note' })],
    extensions: { middleware: [logCalls(log)] },
    events: { onError: () => undefined },
  });
  const client = await connectInMemory(server, {
    info: { name: 'c', version: '1' },
    era,
    handlers: { elicit: () => Promise.resolve({ action: 'decline' }) },
  });
  return { client, lines };
}

describe('logCalls', () => {
  test('says that a call finished, with the last value of each fact', async () => {
    const { client, lines } = await connect(({ signal }) => {
      noteFact(signal, 'scanned', 1);
      noteFact(signal, 'found', 2);
      noteFact(signal, 'scanned', 3);
      return { content: [] };
    });
    await client.callTool('work', {});
    await client.close();
    expect(lines).toEqual(['debug tool=work outcome=finished scanned=3 found=2 ms=N\n']);
  });

  test.each([
    ['a ToolError', () => Promise.reject(new ToolError('no'))],
    ['an unexpected error', () => Promise.reject(new Error('no'))],
    ['a result with isError', () => ({ content: [], isError: true })],
  ])('says that a call failed: %s', async (_what, handler) => {
    const { client, lines } = await connect(handler);
    await client.callTool('work', {});
    await client.close();
    expect(lines).toEqual(['debug tool=work outcome=failed ms=N\n']);
  });

  test.each(['modern', 'legacy'] as const)('%s: says that a call was cancelled', async (era) => {
    const cancel = new AbortController();
    const { client, lines } = await connect(async ({ signal }) => {
      const aborted = new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
      cancel.abort();
      await aborted;
      return { content: [] };
    }, era);
    await expect(client.callTool('work', {}, { signal: cancel.signal })).rejects.toThrow(
      'cancelled',
    );
    await expect.poll(() => lines).toEqual(['debug tool=work outcome=cancelled ms=N\n']);
    await client.close();
  });

  test('logs a round that needs input as asked', async () => {
    const { client, lines } = await connect(async ({ elicit }) => {
      const { action } = await elicit('sure', {
        message: 'Sure?',
        requestedSchema: { type: 'object', properties: {} },
      });
      return { content: [], isError: action !== 'accept' };
    });
    await client.callTool('work', {});
    await client.close();
    expect(lines).toEqual([
      'debug tool=work outcome=asked ms=N\n',
      'debug tool=work outcome=failed ms=N\n',
    ]);
  });

  test('covers prompts and resources, found or not, and nothing else', async () => {
    const { client, lines } = await connect(() => ({ content: [] }));
    await client.listTools();
    await client.getPrompt('greet');
    await client.readResource('note://1');
    await expect(client.readResource('note://2')).rejects.toThrow('not found');
    await client.close();
    expect(lines).toEqual([
      'debug prompt=greet outcome=finished ms=N\n',
      'debug resource=note://1 outcome=finished ms=N\n',
      'debug resource=note://2 outcome=failed ms=N\n',
    ]);
  });

  test('quotes a name of the client that would look like other facts, and shortens it', async () => {
    const { client, lines } = await connect(() => ({ content: [] }));
    await expect(client.callTool('x outcome=finished', {})).rejects.toThrow('Unknown tool');
    await expect(client.callTool('y'.repeat(1000), {})).rejects.toThrow('Unknown tool');
    await client.close();
    expect(lines).toEqual([
      'debug tool="x outcome=finished" outcome=failed ms=N\n',
      `debug tool=${'y'.repeat(200)}… outcome=failed ms=N\n`,
    ]);
  });

  test('noteFact does nothing for a request that is not logged', () => {
    expect(() => noteFact(createTestContext().signal, 'scanned', 1)).not.toThrow();
  });
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
