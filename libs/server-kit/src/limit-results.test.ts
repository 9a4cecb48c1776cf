import { ErrorCode, type JsonObject } from '@signalbox/mcp-core';
import {
  createServer,
  definePrompt,
  defineResource,
  defineTool,
  type ToolOutput,
} from '@signalbox/mcp-core/server';
import { connectInMemory } from '@signalbox/mcp-core/testing';
import { expect, test } from 'vitest';
import { limitResults, type ResultLimit } from './limit-results.ts';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const info = { name: 'limited', version: '1' };

async function call(output: ToolOutput, limit?: ResultLimit): Promise<JsonObject> {
  const big = defineTool({
    name: 'big',
    description: 'big',
    inputSchema: { type: 'object' },
    annotations,
    handler: () => output,
  });
  const client = await connectInMemory(
    createServer({ info, tools: [big], extensions: { middleware: [limitResults(limit)] } }),
  );
  try {
    return { ...(await client.callTool('big', {})) };
  } finally {
    await client.close();
  }
}

test.each([
  [
    'content',
    (length: number) => ({ content: [{ type: 'text' as const, text: 'x'.repeat(length) }] }),
    1000,
  ],
  [
    'structured content, which is sent as text as well',
    (length: number) => ({ structuredContent: { text: 'x'.repeat(length) } }),
    500,
  ],
  [
    'structured content with its text',
    (length: number) => ({
      structuredContent: { text: 'x'.repeat(length) },
      content: 'y'.repeat(length),
    }),
    500,
  ],
  [
    'characters that grow in JSON',
    (length: number) => ({ content: [{ type: 'text' as const, text: '\u0001'.repeat(length) }] }),
    170,
  ],
  [
    'halves of characters, which are escaped',
    (length: number) => ({ content: [{ type: 'text' as const, text: '\ud800'.repeat(length) }] }),
    170,
  ],
  [
    'characters of several bytes',
    (length: number) => ({ content: [{ type: 'text' as const, text: '€'.repeat(length) }] }),
    330,
  ],
])(
  '%s within the limit passes, over the limit becomes an error with a remedy',
  async (_what, make, most) => {
    const limit = { maxBytes: 1000, advice: 'Set limit.' };
    expect(await call(make(most - 70), limit)).not.toHaveProperty('isError');
    expect(await call(make(most), limit)).toMatchObject({
      isError: true,
      content: [
        {
          text: expect.stringMatching(
            /^The result of big would be \d+ bytes of JSON; at most 1000 are sent\. Set limit\.$/,
          ) as string,
        },
      ],
    });
  },
);

test('the default is 1 MiB', async () => {
  const text = (length: number): ToolOutput => ({
    content: [{ type: 'text', text: 'x'.repeat(length) }],
  });
  expect(await call(text(1_000_000))).not.toHaveProperty('isError');
  expect(await call(text(1_048_576))).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('at most 1048576') as string }],
  });
});

test('a prompt or a resource over the limit is an error', async () => {
  const long = 'x'.repeat(1000);
  const server = createServer({
    info,
    prompts: [
      definePrompt({
        name: 'long',
        handler: () => ({ messages: [{ role: 'user', content: { type: 'text', text: long } }] }),
      }),
    ],
    resources: [
      defineResource({ uri: 'text://long', name: 'Long', read: () => long }),
      defineResource({ uri: 'text://short', name: 'Short', read: () => 'short' }),
    ],
    extensions: { middleware: [limitResults({ maxBytes: 1000 })] },
  });
  const client = await connectInMemory(server);
  await expect(client.getPrompt('long')).rejects.toMatchObject({
    code: ErrorCode.internalError,
    message: expect.stringMatching(/^The result of long would be \d+ bytes/) as string,
  });
  await expect(client.readResource('text://long')).rejects.toThrow('The result of text://long');
  expect(await client.readResource('text://short')).toMatchObject([{ text: 'short' }]);
  await client.close();
});

test('limits only the results of the given methods', async () => {
  const output = { content: [{ type: 'text' as const, text: 'x'.repeat(1000) }] };
  expect(await call(output, { maxBytes: 500, methods: ['prompts/get'] })).toMatchObject(output);
});
