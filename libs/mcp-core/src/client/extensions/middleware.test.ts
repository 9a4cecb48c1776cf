import { describe, expect, test } from 'vitest';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import { createServer } from '../../server/create-server.ts';
import { defineTool } from '../../server/tools/tool.ts';
import { connectInMemory } from '../../testing/connect-in-memory.ts';
import type { InputRound } from '../input/input-handlers.ts';
import { connectClient } from '../connect-client.ts';
import { initialized, ScriptedServer } from '../testing/scripted-server.test.support.ts';
import type { ClientMiddleware } from './middleware.ts';

const info = { name: 'test', version: '1' };
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const requestedSchema = { type: 'object', properties: {} };
const sure = defineTool({
  name: 'sure',
  description: 'Asks the user.',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } } },
  annotations,
  handler: async ({ message = 'Sure?' }, { elicit, meta }) => {
    const { action } = await elicit('sure', { message, requestedSchema });
    return { content: [{ type: 'text', text: `${action} ${String(meta['acme/trace'])}` }] };
  },
});
const server = createServer({ info, tools: [sure], resources: [] });
const ERAS = ['modern', 'legacy'] as const;

describe('middleware of a client', () => {
  test.each(ERAS)(
    '%s: runs once around a request and its input rounds, and around the handler',
    async (era) => {
      const log: string[] = [];
      const record: ClientMiddleware = async ({ direction, method, context }, next) => {
        log.push(`${direction} ${method} ${String(context?.request?.name ?? context?.key)}`);
        const result = await next();
        log.push(`end of ${method}`);
        return result;
      };
      const client = await connectInMemory(server, {
        info,
        era,
        extensions: { middleware: [record] },
        handlers: { elicit: () => Promise.resolve({ action: 'accept' }) },
      });
      log.length = 0;
      await client.callTool('sure', {});
      expect(log).toEqual([
        'outgoing tools/call undefined',
        `incoming elicitation/create ${era === 'modern' ? 'sure' : 'undefined'}`,
        'end of elicitation/create',
        'end of tools/call',
      ]);
      await client.close();
    },
  );

  test.each(ERAS)('%s: changes params, _meta and results in both directions', async (era) => {
    const client = await connectInMemory(server, {
      info,
      era,
      extensions: {
        middleware: [
          async ({ direction, method, params }, next) => {
            if (method === 'tools/call')
              return next({
                ...params,
                _meta: { 'acme/trace': 'abc' },
                arguments: { message: 'a' },
              });
            if (direction === 'outgoing') return next();
            return { ...(await next({ ...params, message: `${String(params.message)}b` })) };
          },
        ],
      },
      handlers: {
        elicit: ({ message }) =>
          Promise.resolve({ action: message === 'ab' ? 'decline' : 'accept' }),
      },
    });
    expect(await client.callTool('sure', {}, { meta: { other: 1 } })).toMatchObject({
      content: [{ text: 'decline abc' }],
    });
    await client.close();
  });

  test.each(ERAS)('%s: sees the errors of the server, and answers itself', async (era) => {
    const codes: number[] = [];
    const client = await connectInMemory(server, {
      info,
      era,
      extensions: {
        middleware: [
          async ({ method }, next) => {
            if (method === 'prompts/list') return { prompts: [] };
            if (method === 'acme/own') return { own: true };
            try {
              return await next();
            } catch (error) {
              if (error instanceof ProtocolError) codes.push(error.code);
              throw error;
            }
          },
        ],
      },
    });
    await expect(client.callTool('unknown', {})).rejects.toThrow('Unknown tool');
    expect(codes).toEqual([-32602]);
    expect(await client.request('acme/own')).toEqual({ own: true });
    await client.close();
  });

  test('runs around a resumed round as around any request', async () => {
    const rounds: InputRound[] = [];
    const store = {
      save: (round: InputRound) => {
        rounds.push(round);
        return Promise.resolve();
      },
      discard: () => Promise.resolve(),
    };
    const log: string[] = [];
    const client = await connectInMemory(server, {
      info,
      era: 'modern',
      extensions: {
        middleware: [
          ({ direction, method }, next) => {
            log.push(`${direction} ${method}`);
            return next();
          },
        ],
      },
      handlers: { elicit: () => Promise.resolve({ action: 'accept' }) },
    });
    await client.callTool('sure', {}, { inputRounds: { store } });
    const [resume] = rounds;
    log.length = 0;
    await client.callTool('sure', {}, resume === undefined ? {} : { inputRounds: { resume } });
    expect(log).toEqual(['outgoing tools/call', 'incoming elicitation/create']);
    await client.close();
  });

  test('runs until the task of a call has ended, and around the polls of the task', async () => {
    const log: string[] = [];
    const slow = defineTool({
      ...sure,
      name: 'slow',
      inputSchema: { type: 'object' },
      task: 'optional',
      handler: async (_args, { startTask }) => {
        await startTask();
        return 'done';
      },
    });
    const client = await connectInMemory(createServer({ info, tools: [slow] }), {
      info,
      era: 'modern',
      extensions: {
        middleware: [
          async ({ method }, next) => {
            log.push(method);
            const result = await next();
            log.push(`end of ${method}`);
            return result;
          },
        ],
      },
    });
    log.length = 0;
    await client.callTool('slow', {});
    expect([...new Set(log)]).toEqual([
      'tools/call',
      'tasks/get',
      'end of tasks/get',
      'end of tools/call',
    ]);
    await client.close();
  });

  test('does not run for a result from the cache', async () => {
    let requests = 0;
    const client = await connectInMemory(server, {
      info,
      era: 'modern',
      extensions: {
        middleware: [
          ({ method }, next) => {
            if (method === 'tools/list') requests += 1;
            return next();
          },
        ],
      },
    });
    await client.listTools();
    await client.listTools();
    expect(requests).toBe(1);
    await client.close();
  });
});

describe('middleware around requests of a legacy server', () => {
  const connect = async (middleware: ClientMiddleware) => {
    const problems: Error[] = [];
    const raise = defineTool({
      ...sure,
      name: 'raise',
      inputSchema: { type: 'object', properties: { method: { type: 'string' } } },
      handler: async ({ method = '' }, { request }) => ({
        content: [{ type: 'text', text: JSON.stringify(await request(method, { text: 'x' })) }],
      }),
    });
    const client = await connectInMemory(createServer({ info, tools: [raise, sure] }), {
      info,
      era: 'legacy',
      extensions: { middleware: [middleware] },
      handlers: { elicit: () => Promise.resolve({ action: 'accept' }) },
      events: { onProblem: (problem) => problems.push(problem) },
    });
    return { client, problems };
  };

  test('serves methods that nobody has defined, with their whole params', async () => {
    const { client } = await connect(({ direction, method, params }, next) =>
      direction === 'incoming' && method === 'acme/own' ? { own: params.text } : next(),
    );
    expect(await client.callTool('raise', { method: 'acme/own' })).toMatchObject({
      content: [{ text: '{"own":"x"}' }],
    });
    const { content } = await client.callTool('raise', { method: 'acme/other' });
    expect(content).toMatchObject([{ text: expect.stringContaining('not found') as string }]);
    await client.close();
  });

  test('runs around ping', async () => {
    const seen: string[] = [];
    const scripted = new ScriptedServer({ initialize: initialized() });
    const client = await connectClient(() => scripted, {
      info,
      era: 'legacy',
      extensions: {
        middleware: [
          ({ direction, method }, next) => {
            seen.push(`${direction} ${method}`);
            return next();
          },
        ],
      },
    });
    scripted.deliver({ id: 'p', method: 'ping' });
    await expect.poll(() => seen).toEqual(['outgoing initialize', 'incoming ping']);
    await expect
      .poll(() => scripted.received.find(({ id }) => id === 'p'))
      .toMatchObject({ result: {} });
    await client.close();
  });

  test('that returns a malformed result gets -32603 to the server, and onProblem the reason', async () => {
    const { client, problems } = await connect(({ direction }, next) =>
      direction === 'incoming' ? { answer: 'yes' } : next(),
    );
    expect(await client.callTool('sure', {})).toMatchObject({ isError: true });
    expect(problems).toMatchObject([
      {
        cause: new LocalError(
          'invalid-response',
          'The result of elicitation/create that a middleware returned is unusable: action is missing or malformed',
          { sent: true },
        ),
      },
    ]);
    await client.close();
  });
});

test('a malformed result of a middleware rejects the request with the reason', async () => {
  const client = await connectInMemory(server, {
    info,
    extensions: {
      middleware: [({ method }, next) => (method === 'tools/call' ? { text: 'x' } : next())],
    },
  });
  await expect(client.callTool('sure', {})).rejects.toMatchObject({
    code: 'invalid-response',
    message:
      'The result of tools/call that a middleware returned is unusable: content must be a list of objects',
  });
  await client.close();
});
