import { describe, expect, test } from 'vitest';
import { type JsonObject, ToolError } from '../../index.ts';
import { createServer } from '../create-server.ts';
import { defineTool } from './tool.ts';
import type { ToolOutput } from './tool-output.ts';
import { connectInMemory } from '../../testing/connect-in-memory.ts';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const outputSchema = {
  type: 'object',
  properties: { degrees: { type: 'number' } },
  required: ['degrees'],
  additionalProperties: false,
} as const;

const failures: Record<string, () => ToolOutput> = {
  thrown: () => {
    throw new ToolError('No such place', {
      structuredContent: { error: 'unknown' },
      meta: { 'example.com/code': 'unknown' },
    });
  },
  'thrown, fitting': () => {
    throw new ToolError('No such place', { structuredContent: { degrees: 0 } });
  },
  returned: () => ({
    content: [{ type: 'text', text: 'No such place' }],
    structuredContent: { error: 'unknown' },
    isError: true,
  }),
};

async function call(
  name: string,
  schema: JsonObject | undefined,
): Promise<{ readonly result: JsonObject; readonly errors: readonly unknown[] }> {
  const errors: unknown[] = [];
  const weather = defineTool({
    name: 'weather',
    description: 'weather',
    inputSchema: { type: 'object' },
    ...(schema === undefined ? {} : { outputSchema: schema }),
    annotations,
    handler: failures[name] as never,
  });
  const server = createServer({
    info: { name: 'test', version: '1.0.0' },
    tools: [weather],
    events: { onError: (error) => errors.push(error) },
  });
  const client = await connectInMemory(server);
  const result = await client.callTool('weather', {});
  await client.close();
  return { result: result as unknown as JsonObject, errors };
}

describe('structured content of an error', () => {
  test.each(['thrown', 'returned'])(
    'is left out, and reported, when it does not fit the output schema (%s)',
    async (name) => {
      const { result, errors } = await call(name, outputSchema);
      expect(result).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'No such place' }],
      });
      expect(result).not.toHaveProperty('structuredContent');
      expect(errors).toEqual([
        expect.objectContaining({
          message: expect.stringContaining('structured content of an error of weather') as string,
        }),
      ]);
    },
  );

  test('is kept when it fits', async () => {
    const { result, errors } = await call('thrown, fitting', outputSchema);
    expect(result).toMatchObject({ isError: true, structuredContent: { degrees: 0 } });
    expect(errors).toEqual([]);
  });

  test('is kept where the tool has no output schema', async () => {
    expect((await call('thrown', undefined)).result).toMatchObject({
      isError: true,
      structuredContent: { error: 'unknown' },
    });
  });

  test('does not take the metadata with it', async () => {
    expect((await call('thrown', outputSchema)).result).toMatchObject({
      _meta: { 'example.com/code': 'unknown' },
    });
  });
});
