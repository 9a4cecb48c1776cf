import { describe, expect, test } from 'vitest';
import { createServer } from '../server/create-server.ts';
import { defineTool } from '../server/tools/tool.ts';
import { connectInMemory } from './connect-in-memory.ts';

const greet = defineTool({
  name: 'greet',
  description: 'Greets',
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  handler: ({ name }, context) => {
    context.progress({ progress: 1 });
    return { structuredContent: { text: `Hello ${name}`, era: context.client.era } };
  },
});

describe('connectInMemory', () => {
  test.each(['modern', 'legacy'] as const)('gives a working client of the %s era', async (era) => {
    const client = await connectInMemory(
      createServer({ info: { name: 's', version: '1' }, tools: [greet] }),
      { info: { name: 'c', version: '1' }, era },
    );
    const progress: number[] = [];
    const result = await client.callTool(
      'greet',
      { name: 'Ada' },
      { onProgress: (update) => progress.push(update.progress) },
    );
    expect(result.structuredContent).toEqual({ text: 'Hello Ada', era });
    expect(progress).toEqual([1]);
    expect(client.server).toMatchObject({ era, info: { name: 's', version: '1' } });
    await client.close();
  });
});
