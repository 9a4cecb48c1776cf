import { expect, expectTypeOf, test } from 'vitest';
import type { JsonObject } from '../jsonrpc/messages.ts';
import { createServer } from '../server/create-server.ts';
import { defineMethod } from '../server/extensions/custom-methods.ts';
import { definePrompt } from '../server/prompts/prompt.ts';
import { toCallToolResult } from '../server/tools/tool-output.ts';
import { connectInMemory } from '../testing/connect-in-memory.ts';
import type { CreateMessageResult, ElicitResult } from './client-features.ts';
import type { Completion } from './completion.ts';
import type { GetPromptResult } from './prompts.ts';
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from './resources.ts';
import type { CallToolResult } from './tools.ts';

test('a result of a client is passed on by a custom method and by middleware, as it is', async () => {
  const info = { name: 'test', version: '1' };
  const upstream = await connectInMemory(
    createServer({
      info,
      prompts: [definePrompt({ name: 'p', handler: () => ({ messages: [], description: 'P' }) })],
    }),
  );
  const server = createServer({
    info,
    tools: [],
    extensions: {
      methods: { 'acme/prompt': defineMethod({ handler: () => upstream.getPrompt('p') }) },
      middleware: [
        ({ method }, next) => (method === 'tools/call' ? toCallToolResult('from here') : next()),
      ],
    },
  });
  const client = await connectInMemory(server);
  expect(await client.request('acme/prompt')).toMatchObject({ messages: [], description: 'P' });
  expect(await client.callTool('any', {})).toMatchObject({
    content: [{ type: 'text', text: 'from here' }],
  });
  await Promise.all([client.close(), upstream.close()]);
});

test('every result is a JsonObject for the compiler', () => {
  expectTypeOf<CallToolResult>().toExtend<JsonObject>();
  expectTypeOf<GetPromptResult>().toExtend<JsonObject>();
  expectTypeOf<Completion>().toExtend<JsonObject>();
  expectTypeOf<ListResourcesResult>().toExtend<JsonObject>();
  expectTypeOf<ListResourceTemplatesResult>().toExtend<JsonObject>();
  expectTypeOf<ReadResourceResult>().toExtend<JsonObject>();
  expectTypeOf<CreateMessageResult>().toExtend<JsonObject>();
  expectTypeOf<ElicitResult>().toExtend<JsonObject>();
});
