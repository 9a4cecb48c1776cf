import { ErrorCode, ProtocolError } from '@signalbox/mcp-core';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { connectInMemory } from '@signalbox/mcp-core/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from '../../peers/src/zod.ts';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const book = defineTool({
  name: 'book',
  description: 'Books a table',
  inputSchema: z.object({
    name: z.string().min(1).describe('Who comes'),
    day: z.iso.date().transform((text) => new Date(`${text}T00:00:00Z`)),
    people: z.coerce.number<string>().int().min(1).default(2),
  }),
  outputSchema: z.object({ who: z.string(), at: z.number(), note: z.string().default('none') }),
  annotations,
  handler: ({ name, day, people }) => {
    expectTypeOf(name).toEqualTypeOf<string>();
    expectTypeOf(day).toEqualTypeOf<Date>();
    expectTypeOf(people).toEqualTypeOf<number>();
    return { structuredContent: { who: `${name} and ${String(people - 1)}`, at: day.getTime() } };
  },
});

describe('a tool with zod schemas', () => {
  test('is listed with their JSON Schema', async () => {
    const client = await connectInMemory(
      createServer({ info: { name: 'zod', version: '1' }, tools: [book] }),
    );
    const [tool] = await client.listTools();
    expect(tool?.inputSchema).toMatchObject({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, description: 'Who comes' },
        day: { type: 'string', format: 'date' },
        people: { default: 2 },
      },
      required: ['name', 'day'],
    });
    expect(tool?.outputSchema).toMatchObject({ type: 'object', required: ['who', 'at', 'note'] });
    await client.close();
  });

  test('gets transformed values and defaults, and its result the defaults of the output', async () => {
    const client = await connectInMemory(
      createServer({ info: { name: 'zod', version: '1' }, tools: [book] }),
    );
    expect(await client.callTool('book', { name: 'Ann', day: '2026-02-01' })).toMatchObject({
      structuredContent: { who: 'Ann and 1', at: Date.UTC(2026, 1, 1), note: 'none' },
      content: [
        {
          type: 'text',
          text: `{"who":"Ann and 1","at":${String(Date.UTC(2026, 1, 1))},"note":"none"}`,
        },
      ],
    });
    expect(
      await client.callTool('book', { name: 'Ann', day: '2026-02-01', people: '5' }),
    ).toMatchObject({ structuredContent: { who: 'Ann and 4' } });
    await client.close();
  });

  test('reports which argument is wrong', async () => {
    const client = await connectInMemory(
      createServer({ info: { name: 'zod', version: '1' }, tools: [book] }),
      { info: { name: 'c', version: '1' }, era: 'modern' },
    );
    const result = await client.callTool('book', { name: '', day: '2026-02-30', people: 'x' });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toMatch(
      /Invalid arguments for book: .*name.*day.*people/u,
    );
    await client.close();
    const legacy = await connectInMemory(
      createServer({ info: { name: 'zod', version: '1' }, tools: [book] }),
      { info: { name: 'c', version: '1' }, era: 'legacy' },
    );
    await expect(legacy.callTool('book', {})).resolves.toMatchObject({ isError: true });
    await legacy.close();
  });

  test('is refused when JSON Schema cannot express it', () => {
    const tool = defineTool({
      name: 'x',
      description: 'x',
      inputSchema: z.object({ when: z.date() }),
      annotations,
      handler: () => ({ content: [] }),
    });
    expect(() => createServer({ info: { name: 'zod', version: '1' }, tools: [tool] })).toThrow(
      'The input schema of x cannot be published: Date cannot be represented in JSON Schema',
    );
  });

  test('may refuse a call itself', async () => {
    const tool = defineTool({
      name: 'x',
      description: 'x',
      inputSchema: z.object({ n: z.number().refine((n) => n % 2 === 0, 'Must be even') }),
      annotations,
      handler: () => {
        throw new ProtocolError(ErrorCode.invalidParams, 'never');
      },
    });
    const client = await connectInMemory(
      createServer({ info: { name: 'zod', version: '1' }, tools: [tool] }),
    );
    expect(await client.callTool('x', { n: 3 })).toMatchObject({
      isError: true,
      content: [{ text: 'Invalid arguments for x: "n": Must be even.' }],
    });
    await client.close();
  });
});
