import { expect, onTestFinished, test } from 'vitest';
import { connectClient } from '../client/connect-client.ts';
import type { InputHandlers, OriginatingRequest } from '../client/input/input-handlers.ts';
import { createServer } from '../server/create-server.ts';
import { defineTool } from '../server/tools/tool.ts';
import { httpTransport } from './client/http-transport.ts';
import { serveHttp } from './server/serve-http.ts';

const ask = defineTool({
  name: 'ask',
  description: 'Asks for a name.',
  inputSchema: { type: 'object', properties: {} },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  handler: async (_, context) => {
    const answer = await context.elicit('name', {
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    return {
      structuredContent: { answer: answer.action === 'accept' ? answer.content : answer.action },
    };
  },
});

test.each(['legacy', 'modern'] as const)(
  'input requests of concurrent calls are distinguished by their requests, %s',
  async (era) => {
    const listener = await serveHttp(
      createServer({ info: { name: 's', version: '1' }, tools: [ask] }),
      { limits: { drainMs: 0 } },
    );
    onTestFinished(() => listener.close());
    const asked: (OriginatingRequest | undefined)[] = [];
    const allAsked = Promise.withResolvers<void>();
    const elicit: InputHandlers['elicit'] = async (_params, { request }) => {
      if (asked.push(request) === 3) allAsked.resolve();
      await allAsked.promise;
      return { action: 'accept', content: { name: String(request?.meta?.['dev.example/run']) } };
    };
    const client = await connectClient(() => httpTransport({ url: listener.url }), {
      info: { name: 't', version: '0' },
      era,
      handlers: { elicit },
    });
    onTestFinished(() => client.close());
    const results = await Promise.all(
      ['a', 'b', 'c'].map((run) =>
        client.callTool('ask', {}, { meta: { 'dev.example/run': run } }),
      ),
    );
    expect(results.map(({ structuredContent }) => structuredContent)).toEqual(
      ['a', 'b', 'c'].map((name) => ({ answer: { name } })),
    );
    expect(asked.map((request) => [request?.method, request?.name])).toEqual(
      Array.from({ length: 3 }, () => ['tools/call', 'ask']),
    );
  },
);
