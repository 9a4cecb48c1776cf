import { describe, expect, expectTypeOf, test } from 'vitest';
import { PROTOCOL_VERSIONS } from '../../era/versions.ts';
import type { ContentBlock } from '../../protocol/content.ts';
import { connectInMemory } from '../../testing/connect-in-memory.ts';
import { speak } from '../../testing/speak.test.support.ts';
import { createServer } from '../create-server.ts';
import { defineTool } from './tool.ts';
import { toCallToolResult, type ToolOutput } from './tool-output.ts';

const info = { name: 'test-server', version: '1' };
const blocks: readonly ContentBlock[] = [{ type: 'text', text: 'a' }];
const inputSchema = { type: 'object', properties: {} } as const;

const OUTPUTS: readonly (readonly [string, ToolOutput, object])[] = [
  ['a string', 'a', { content: blocks }],
  ['blocks', blocks, { content: blocks }],
  ['no blocks', [], { content: [] }],
  ['content as a string', { content: 'a' }, { content: blocks }],
  ['an error', { content: 'a', isError: true }, { content: blocks, isError: true }],
  [
    'structured content',
    { structuredContent: { n: 1 } },
    { content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 } },
  ],
  [
    'structured content with content',
    { structuredContent: { n: 1 }, content: 'a', _meta: { m: 1 } },
    { content: blocks, structuredContent: { n: 1 }, _meta: { m: 1 } },
  ],
  [
    'structured content of an error',
    { structuredContent: { n: 1 }, isError: true },
    { content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 }, isError: true },
  ],
];

describe('a handler may return', () => {
  test.each(OUTPUTS)('%s', async (_what, output, result) => {
    const tool = defineTool({ name: 't', description: 't', inputSchema, handler: () => output });
    for (const version of PROTOCOL_VERSIONS.filter((each) => each >= '2025-06-18')) {
      const ask = await speak(createServer({ info, tools: [tool] }), version);
      const { result: sent } = await ask('tools/call', { name: 't' });
      expect(sent).toMatchObject(result);
    }
    expect(toCallToolResult(output)).toEqual(result);
  });

  test.each(OUTPUTS)('%s, from a task', async (_what, output, result) => {
    const tool = defineTool({
      name: 't',
      description: 't',
      inputSchema,
      task: 'optional',
      handler: async (_args, context) => {
        await context.startTask();
        return output;
      },
    });
    for (const era of ['legacy', 'modern'] as const) {
      const client = await connectInMemory(
        createServer({ info, tools: [tool], settings: { tasks: { pollIntervalMs: 1 } } }),
        { info, era },
      );
      expect(await client.callTool('t', {})).toMatchObject(result);
      await client.close();
    }
  });
});

describe('an output schema', () => {
  const outputSchema = {
    type: 'object',
    properties: { n: { type: 'number' }, kind: { enum: ['a', 'b'] } },
    required: ['n'],
  } as const;

  test('types the structured content', () => {
    const base = { name: 't', description: 't', inputSchema, outputSchema };
    const kinds: readonly ('a' | 'b')[] = ['a'];
    expect(base.outputSchema.required).toEqual(['n']);
    defineTool({
      ...base,
      handler: () => ({ structuredContent: { n: 1, kind: kinds[0] ?? 'b' } }),
    });
    defineTool({ ...base, handler: () => ({ structuredContent: { n: 1, kind: 'a' } }) });
    defineTool({ ...base, handler: () => ({ content: 'failed', isError: true }) });
    // @ts-expect-error -- `n` is a number
    defineTool({ ...base, handler: () => ({ structuredContent: { n: '1' } }) });
    // @ts-expect-error -- `n` is required
    defineTool({ ...base, handler: () => ({ structuredContent: {} }) });
    // @ts-expect-error -- `c` is not in the enumeration
    defineTool({ ...base, handler: () => ({ structuredContent: { n: 1, kind: 'c' } }) });
    // @ts-expect-error -- the result needs structured content
    defineTool({ ...base, handler: () => 'text' });
    // @ts-expect-error -- only an error may have no structured content
    defineTool({ ...base, handler: () => ({ content: 'text' }) });
  });

  test('literals in the definition type arguments and structured content', async () => {
    const tool = defineTool({
      name: 't',
      description: 't',
      inputSchema: {
        type: 'object',
        properties: { n: { type: 'integer' }, unit: { enum: ['mm', 'm'] } },
        required: ['n'],
      },
      outputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      handler: ({ n, unit }) => {
        expectTypeOf(n).toEqualTypeOf<number>();
        expectTypeOf(unit).toEqualTypeOf<'mm' | 'm' | undefined>();
        return { structuredContent: { n: n * 2 } };
      },
    });
    const client = await connectInMemory(createServer({ info, tools: [tool] }));
    const { structuredContent } = await client.callTool('t', { n: 2 });
    expect(structuredContent).toEqual({ n: 4 });
    await client.close();
  });
});

test('a tool without annotations is destructive: its request state is accepted once', async () => {
  const tool = defineTool({
    name: 'remove',
    description: 'Removes.',
    inputSchema,
    handler: async (_args, context) => {
      await context.elicit('sure', { message: 'Sure?', requestedSchema: inputSchema });
      return 'removed';
    },
  });
  const ask = await speak(createServer({ info, tools: [tool] }), '2026-07-28', {
    elicitation: { form: {} },
  });
  const { result } = await ask('tools/call', { name: 'remove' });
  const { requestState } = result as { requestState: string };
  const inputResponses = { sure: { action: 'accept', content: {} } };
  const again = { name: 'remove', requestState, inputResponses };
  expect(await ask('tools/call', again)).toMatchObject({
    result: { content: [{ text: 'removed' }] },
  });
  expect(await ask('tools/call', again)).toHaveProperty('error');
  expect((await ask('tools/list')).result).toMatchObject({
    tools: [expect.not.objectContaining({ annotations: expect.anything() as unknown })],
  });
});
