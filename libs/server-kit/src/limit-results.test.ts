import { createTestContext } from '@signalbox/mcp-core/testing';
import type { ToolDefinition, ToolOutput } from '@signalbox/mcp-core/server';
import { expect, test } from 'vitest';
import { limitResults } from './limit-results.ts';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

async function limited(output: ToolOutput, maxBytes?: number): Promise<unknown> {
  const tool: ToolDefinition = {
    name: 'big',
    description: 'big',
    inputSchema: { type: 'object' },
    annotations,
    handler: () => output,
  };
  const [same] = limitResults(
    [tool],
    maxBytes === undefined ? {} : { maxBytes, advice: 'Set limit.' },
  );
  return same?.handler({} as never, createTestContext());
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
    'characters of several bytes',
    (length: number) => ({ content: [{ type: 'text' as const, text: '€'.repeat(length) }] }),
    330,
  ],
])(
  '%s within the limit passes, over the limit becomes an error with a remedy',
  async (_what, make, most) => {
    const small = make(most - 60);
    expect(await limited(small, 1000)).toBe(small);
    await expect(limited(make(most), 1000)).rejects.toThrow(
      /^The result of big would be \d+ bytes of JSON; at most 1000 are sent\. Set limit\.$/,
    );
  },
);

test('the default is 1 MiB', async () => {
  const small = { content: [{ type: 'text' as const, text: 'x'.repeat(1_000_000) }] };
  expect(await limited(small)).toBe(small);
  await expect(
    limited({ content: [{ type: 'text', text: 'x'.repeat(1_048_576) }] }),
  ).rejects.toThrow('at most 1048576');
});
