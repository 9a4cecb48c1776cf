import { describe, expect, test } from 'vitest';
import { PROTOCOL_VERSIONS } from '../../era/versions.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError, ToolError } from '../../protocol/errors.ts';
import { connectInMemory } from '../../testing/connect-in-memory.ts';
import { connectRaw, initialize, modern } from '../../testing/raw-client.test.support.ts';
import { speak } from '../../testing/speak.test.support.ts';
import { createServer } from '../create-server.ts';
import { definePrompt } from '../prompts/prompt.ts';
import { defineResource, defineResourceTemplate } from '../resources/resource.ts';
import type { Server, ServerOptions } from '../server.ts';
import { defineTool } from '../tools/tool.ts';
import type { ServerMiddleware } from './middleware.ts';

const info = { name: 'test', version: '1' };
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const inputSchema = { type: 'object', properties: { text: { type: 'string' } } } as const;

const echo = defineTool({
  name: 'echo',
  description: 'Returns its text.',
  inputSchema,
  annotations,
  handler: ({ text = '' }) => ({ content: [{ type: 'text', text }] }),
});
const shout = defineTool({
  ...echo,
  name: 'shout',
  inputSchema,
  handler: ({ text = '' }) => ({ content: [{ type: 'text', text: text.toUpperCase() }] }),
});
const fail = defineTool({
  ...echo,
  name: 'fail',
  inputSchema,
  handler: () => {
    throw new ToolError('it failed');
  },
});
const sure = defineTool({
  ...echo,
  name: 'sure',
  inputSchema,
  handler: async (_args, { elicit }) => {
    const { action } = await elicit('sure', {
      message: 'Sure?',
      requestedSchema: { type: 'object', properties: {} },
    });
    return { content: [{ type: 'text', text: action }] };
  },
});
const greeting = definePrompt({
  name: 'greeting',
  arguments: [{ name: 'name', complete: () => ['Ada'] }],
  handler: () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] }),
});
const note = defineResource({ uri: 'note://1', name: 'Note', read: () => 'A note' });
const notes = defineResourceTemplate({
  uriTemplate: 'note://{id}',
  name: 'Notes',
  read: () => 'A note',
});

function serverWith(
  middleware: readonly ServerMiddleware[],
  rest: Partial<ServerOptions> = {},
): Server {
  return createServer({
    info,
    tools: [echo, shout, fail, sure],
    prompts: [greeting],
    resources: [note],
    templates: [notes],
    ...rest,
    extensions: { middleware, ...rest.extensions },
  });
}

/** Records the methods before and after the rest of the chain. */
function recorder(log: string[], name = ''): ServerMiddleware {
  return async ({ method }, next) => {
    log.push(`${name}>${method}`);
    try {
      return await next();
    } finally {
      log.push(`${name}<${method}`);
    }
  };
}

const text = (value: string): JsonObject => ({ content: [{ type: 'text', text: value }] });

describe('middleware of a server', () => {
  test.each(PROTOCOL_VERSIONS)('%s: runs around every method', async (version) => {
    const log: string[] = [];
    const server = serverWith([recorder(log)], {
      extensions: { methods: { 'acme/thing': { handler: () => ({}) } } },
    });
    const isModern = version === '2026-07-28';
    const ask = await speak(server, version);
    await ask('tools/list');
    await ask('tools/call', { name: 'echo', arguments: {} });
    await ask('prompts/list');
    await ask('prompts/get', { name: 'greeting', arguments: { name: 'Ada' } });
    await ask('resources/list');
    await ask('resources/templates/list');
    await ask('resources/read', { uri: 'note://1' });
    await ask('completion/complete', {
      ref: { type: 'ref/prompt', name: 'greeting' },
      argument: { name: 'name', value: '' },
    });
    await ask('acme/thing');
    await ask(isModern ? 'server/discover' : 'ping');
    if (!isModern) await ask('logging/setLevel', { level: 'info' });
    expect(log.filter((entry) => entry.startsWith('>'))).toEqual([
      ...(isModern ? [] : ['>initialize']),
      '>tools/list',
      '>tools/call',
      '>prompts/list',
      '>prompts/get',
      '>resources/list',
      '>resources/templates/list',
      '>resources/read',
      '>completion/complete',
      '>acme/thing',
      ...(isModern ? ['>server/discover'] : ['>ping', '>logging/setLevel']),
    ]);
  });

  test.each([
    ['2026-07-28', ['tasks/get', 'tasks/update', 'tasks/cancel']],
    [
      '2025-11-25',
      ['tasks/get', 'tasks/result', 'tasks/cancel', 'resources/subscribe', 'resources/unsubscribe'],
    ],
  ] as const)(
    '%s: runs around the methods of tasks and subscriptions and their errors',
    async (version, methods) => {
      const log: string[] = [];
      const settings = { tasks: {}, resourceSubscriptions: true } as const;
      const ask = await speak(serverWith([recorder(log)], { settings }), version, {
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      });
      log.length = 0;
      for (const method of methods) {
        const response = await ask(method, { taskId: 'x', uri: 'note://1', inputResponses: {} });
        const isOfTask = method.startsWith('tasks/');
        expect('error' in response).toBe(isOfTask);
      }
      expect(log).toEqual(methods.flatMap((method) => [`>${method}`, `<${method}`]));
    },
  );

  test('runs in order, the first outermost', async () => {
    const log: string[] = [];
    const ask = await speak(serverWith([recorder(log, 'a'), recorder(log, 'b')]), '2026-07-28');
    await ask('tools/list');
    expect(log).toEqual(['a>tools/list', 'b>tools/list', 'b<tools/list', 'a<tools/list']);
  });

  test('sees the client, the principal and the params as handlers see them', async () => {
    const seen: unknown[] = [];
    const server = serverWith([
      ({ method, params, context }, next) => {
        seen.push([method, params.name, context.client.era, context.auth?.principal]);
        return next();
      },
    ]);
    await server.handle(
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: modern({ name: 'echo', arguments: {} }),
      },
      {
        signal: new AbortController().signal,
        auth: { principal: 'ada' },
        notify: () => Promise.resolve(),
      },
    );
    expect(seen).toEqual([['tools/call', 'echo', 'modern', 'ada']]);
  });

  test('changes the params, and with the name the tool', async () => {
    const ask = await speak(
      serverWith([
        ({ method, params }, next) =>
          method === 'tools/call' ? next({ ...params, name: 'shout' }) : next(),
      ]),
      '2025-11-25',
    );
    const call = { name: 'echo', arguments: { text: 'hi' } };
    expect((await ask('tools/call', call)).result).toEqual(text('HI'));
  });

  test.each(PROTOCOL_VERSIONS)('%s: replaces results, also those of lists', async (version) => {
    const server = serverWith([
      async ({ method }, next) => {
        const result = await next();
        if (method !== 'tools/list') return result;
        const tools = result.tools as readonly { readonly name: string }[];
        return { ...result, tools: tools.filter(({ name }) => name === 'echo') };
      },
    ]);
    const plain = await speak(createServer({ info, tools: [echo] }), version);
    const ask = await speak(server, version);
    expect((await ask('tools/list')).result).toEqual((await plain('tools/list')).result);
  });

  test('that only observes a list keeps its stored text', async () => {
    const server = serverWith([(_request, next) => next()]);
    const list = async (): Promise<unknown> =>
      server.handle(
        { jsonrpc: '2.0', id: 1, method: 'tools/list', params: modern() },
        { signal: new AbortController().signal, notify: () => Promise.resolve() },
      );
    const [first, second] = [await list(), await list()] as { readonly result: unknown }[];
    expect(first?.result).toBeDefined();
    expect(second?.result).toBe(first?.result);
  });

  test('sees a failed tool as a result with isError, and the error of any other method', async () => {
    const seen: unknown[] = [];
    const ask = await speak(
      serverWith([
        async (_request, next) => {
          try {
            const result = await next();
            seen.push(result.isError);
            return result;
          } catch (error) {
            seen.push((error as ProtocolError).code);
            throw error;
          }
        },
      ]),
      '2026-07-28',
    );
    await ask('tools/call', { name: 'fail', arguments: {} });
    expect(await ask('prompts/get', { name: 'unknown' })).toMatchObject({
      error: { code: -32602 },
    });
    expect(seen).toEqual([true, -32602]);
  });

  test('refuses with a ToolError, which is a result for the model, or with a ProtocolError', async () => {
    const seen: unknown[] = [];
    const ask = await speak(
      serverWith([
        async (_request, next) => {
          const result = await next();
          seen.push(result.isError);
          return result;
        },
        ({ params }) => {
          throw params.name === 'echo'
            ? new ToolError('Too many calls. Wait a minute.')
            : new ProtocolError(ErrorCode.invalidRequest, 'Not allowed');
        },
      ]),
      '2026-07-28',
    );
    expect((await ask('tools/call', { name: 'echo' })).result).toMatchObject({
      ...text('Too many calls. Wait a minute.'),
      isError: true,
    });
    expect(await ask('tools/call', { name: 'shout' })).toMatchObject({
      error: { code: -32600, message: 'Not allowed' },
    });
    expect(seen).toEqual([true]);
  });

  test('reports an unexpected error and hides its text', async () => {
    const errors: unknown[] = [];
    const ask = await speak(
      serverWith(
        [
          () => {
            throw new Error('secret');
          },
        ],
        { events: { onError: (error) => errors.push(error) } },
      ),
      '2026-07-28',
    );
    expect((await ask('tools/list')).error).toEqual({ code: -32603, message: 'Internal error' });
    expect(errors).toEqual([new Error('secret')]);
  });

  test('whose error code is reserved in 2026-07-28 sends -32603 there, with a report', async () => {
    const errors: unknown[] = [];
    const server = serverWith(
      [
        ({ params }) => {
          throw new ProtocolError(Number(params.code), 'No');
        },
      ],
      {
        extensions: { methods: { 'acme/fail': { handler: () => ({}) } } },
        events: { onError: (error) => errors.push(error) },
      },
    );
    const sent = async (version: string, code: number) =>
      ((await (await speak(server, version))('acme/fail', { code })) as { error: { code: number } })
        .error.code;
    expect(await sent('2026-07-28', -32001)).toBe(-32001);
    expect(await sent('2026-07-28', 1234)).toBe(1234);
    expect(await sent('2026-07-28', -32002)).toBe(-32602);
    expect(errors).toEqual([]);
    expect(await sent('2026-07-28', -32050)).toBe(-32603);
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/^The error code -32050 was sent as -32603: /u) as unknown },
    ]);
  });

  test('runs again with the handler in each round of a modern request, and sees input_required', async () => {
    const seen: unknown[] = [];
    const server = serverWith([
      async ({ method }, next) => {
        const result = await next();
        if (method === 'tools/call') seen.push(result.resultType ?? result.content);
        return result;
      },
    ]);
    for (const era of ['modern', 'legacy'] as const) {
      const client = await connectInMemory(server, {
        info,
        era,
        handlers: { elicit: () => Promise.resolve({ action: 'accept' }) },
      });
      expect(await client.callTool('sure', {})).toMatchObject(text('accept'));
      await client.close();
    }
    expect(seen).toEqual(['input_required', text('accept').content, text('accept').content]);
  });

  test('that returns nothing fails the request, which does not ask for input', async () => {
    const errors: unknown[] = [];
    const server = serverWith([async (_request, next) => void (await next()) as never], {
      events: { onError: (error) => errors.push(error) },
    });
    const client = await connectRaw(server);
    for (const [id, method] of ['tools/list', 'tools/call'].entries())
      expect(await client.request(id, method, modern({ name: 'echo' }))).toMatchObject({
        error: { code: ErrorCode.internalError },
      });
    expect(await initialize(client, '2025-11-25')).toHaveProperty('error.code', -32603);
    expect(errors.map(String)).toEqual(
      Array(3).fill('Error: A middleware returned nothing: return the result of next() from it'),
    );
  });

  test('may do something else before it awaits the result, also when the result is an error', async () => {
    const server = serverWith([
      async (_request, next) => {
        const result = next();
        // An unhandled rejection is reported before the next turn of the event loop.
        await new Promise(setImmediate);
        return result;
      },
    ]);
    const client = await connectRaw(server);
    expect(await client.request(1, 'prompts/get', modern({ name: 'none' }))).toMatchObject({
      error: { code: ErrorCode.invalidParams },
    });
  });

  test('may run a destructive handler again, whose request state counts as used once', async () => {
    let runs = 0;
    const remove = defineTool({
      ...sure,
      name: 'remove',
      inputSchema,
      annotations: {},
      handler: async (args, context) => {
        const result = await sure.handler(args as never, context);
        runs += 1;
        if (runs === 1) throw new ToolError('Try again.');
        return result;
      },
    });
    const retry: ServerMiddleware = async (_request, next) => {
      const first = await next();
      return first.isError === true ? next() : first;
    };
    const client = await connectInMemory(
      createServer({ info, tools: [remove], extensions: { middleware: [retry] } }),
      { info, era: 'modern', handlers: { elicit: () => Promise.resolve({ action: 'accept' }) } },
    );
    expect(await client.callTool('remove', {})).toMatchObject(text('accept'));
    expect(runs).toBe(2);
    await client.close();
  });

  test('that calls a destructive tool under another name lets its request state be used once', async () => {
    let removed = 0;
    const remove = defineTool({
      ...sure,
      name: 'remove',
      inputSchema,
      annotations: {},
      handler: async (args, context) => {
        const result = await sure.handler(args as never, context);
        removed += 1;
        return result;
      },
    });
    const alias: ServerMiddleware = ({ params }, next) => next({ ...params, name: 'remove' });
    const ask = await speak(
      createServer({ info, tools: [remove, echo], extensions: { middleware: [alias] } }),
      '2026-07-28',
      { elicitation: { form: {} } },
    );
    for (const name of ['echo', 'unknown']) {
      removed = 0;
      const answers = { inputResponses: { sure: { action: 'accept', content: {} } } };
      // Without a state of its own, the call is not confirmed.
      const { result } = await ask('tools/call', { name, arguments: {}, ...answers });
      const { requestState } = result as JsonObject;
      const answered = { name, arguments: {}, requestState, ...answers };
      expect(await ask('tools/call', answered)).toHaveProperty('result.content');
      expect(await ask('tools/call', answered)).toHaveProperty('error.code', -32602);
      expect(removed).toBe(1);
    }
  });

  test('may ask the user itself, in both eras', async () => {
    const server = serverWith([
      async ({ method, context }, next) => {
        if (method !== 'tools/call') return next();
        const { action } = await context.elicit('allowed', {
          message: 'Allow the call?',
          requestedSchema: { type: 'object', properties: {} },
        });
        if (action !== 'accept') throw new ToolError('The user did not allow the call.');
        return next();
      },
    ]);
    for (const era of ['modern', 'legacy'] as const) {
      for (const action of ['accept', 'decline'] as const) {
        const client = await connectInMemory(server, {
          info,
          era,
          handlers: { elicit: () => Promise.resolve({ action }) },
        });
        const { isError = false } = await client.callTool('echo', { text: 'x' });
        expect(isError).toBe(action === 'decline');
        await client.close();
      }
    }
  });

  test('runs around a listen stream until its end', async () => {
    const log: string[] = [];
    const client = await connectInMemory(serverWith([recorder(log)]), { info, era: 'modern' });
    const watch = await client.watch({ onToolsChanged: () => undefined });
    expect(log.at(-1)).toBe('>subscriptions/listen');
    await watch.close();
    await expect.poll(() => log.at(-1)).toBe('<subscriptions/listen');
    await client.close();
  });

  test('runs around a call until its task has ended', async () => {
    const started = Promise.withResolvers<undefined>();
    const done = Promise.withResolvers<undefined>();
    const seen: unknown[] = [];
    const tool = defineTool({
      ...echo,
      name: 'slow',
      inputSchema,
      task: 'optional',
      handler: async (_args, { startTask }) => {
        await startTask();
        started.resolve(undefined);
        await done.promise;
        return { content: [{ type: 'text', text: 'done' }] };
      },
    });
    const server = createServer({
      info,
      tools: [tool],
      extensions: {
        middleware: [
          async ({ method }, next) => {
            const result = await next();
            if (method === 'tools/call') seen.push(result.content);
            return result;
          },
        ],
      },
    });
    const client = await connectInMemory(server, { info, era: 'modern' });
    const call = client.callTool('slow', {});
    await started.promise;
    expect(seen).toEqual([]);
    done.resolve(undefined);
    expect(await call).toMatchObject(text('done'));
    expect(seen).toEqual([text('done').content]);
    await client.close();
  });
});

describe('middleware around a method that nobody has defined', () => {
  test.each(PROTOCOL_VERSIONS)('%s: sees its error, or serves it', async (version) => {
    const codes: unknown[] = [];
    const server = createServer({
      info,
      extensions: {
        middleware: [
          async ({ method, params }, next) => {
            if (method === 'acme/own') return { own: params.text };
            try {
              return await next();
            } catch (error) {
              codes.push((error as ProtocolError).code);
              throw error;
            }
          },
        ],
      },
    });
    const ask = await speak(server, version);
    expect((await ask('acme/own', { text: 'x' })).result).toMatchObject({ own: 'x' });
    for (const method of ['acme/other', 'prompts/get'])
      expect(await ask(method, { name: 'x' })).toMatchObject({
        error: { code: -32601, message: `Method not found: ${method}` },
      });
    expect(codes).toEqual([-32601, -32601]);
  });
});

describe('a malformed result of a middleware', () => {
  const malformed: [method: string, result: unknown, problem: string][] = [
    ['tools/list', { tools: [{}] }, 'tools[0].name must be a string'],
    ['tools/list', { tools: 'none' }, 'tools must be a list of objects'],
    ['tools/list', { tools: [], nextCursor: 7 }, 'nextCursor must be a string'],
    ['tools/call', 'done', 'it is a string and not an object'],
    ['tools/call', null, 'it is null and not an object'],
    ['tools/call', {}, 'content must be a list of objects'],
    ['tools/call', { content: ['text'] }, 'content[0] must be an object'],
    ['tools/call', { content: [{ text: 'x' }] }, 'content[0].type must be a string'],
    ['tools/call', { content: [], resultType: 'input_required' }, 'it has a resultType'],
    ['prompts/get', { messages: {} }, 'messages must be a list of objects'],
    ['resources/read', { contents: [{ text: 'x' }] }, 'contents[0].uri must be a string'],
    ['completion/complete', { completion: {} }, 'completion is missing or malformed'],
    ['acme/thing', [], 'it is a list and not an object'],
  ];

  test.each(malformed)('%s: %j gets -32603 and a report', async (method, result, problem) => {
    const params = {
      name: 'greeting',
      uri: 'note://1',
      ref: { type: 'ref/prompt', name: 'greeting' },
      argument: { name: 'name', value: '' },
    };
    for (const version of ['2026-07-28', '2025-11-25']) {
      const errors: unknown[] = [];
      const server = serverWith(
        [async (request, next) => (request.method === method ? (result as never) : await next())],
        { events: { onError: (error) => errors.push(error) } },
      );
      const ask = await speak(server, version);
      expect((await ask(method, params)).error).toEqual({
        code: -32603,
        message: 'Internal error',
      });
      expect(errors).toEqual([
        new Error(
          `The result of ${method} that a middleware returned is unusable: ${problem}${problem.endsWith('resultType') ? ', which is added when the result is sent' : ''}`,
        ),
      ]);
    }
  });

  test('that another middleware replaces is not sent', async () => {
    const ask = await speak(
      serverWith([
        async (_request, next) => {
          await next();
          return { tools: [] };
        },
        () => ({}),
      ]),
      '2026-07-28',
    );
    expect((await ask('tools/list')).result).toMatchObject({ tools: [] });
  });

  test('of a custom method is reported like one of a middleware', async () => {
    const errors: unknown[] = [];
    const server = createServer({
      info,
      extensions: { methods: { 'acme/thing': { handler: () => 'done' as never } } },
      events: { onError: (error) => errors.push(error) },
    });
    const ask = await speak(server, '2025-11-25');
    expect(await ask('acme/thing')).toMatchObject({ error: { code: -32603 } });
    expect(errors).toEqual([
      new Error('The handler of acme/thing returned a string and not an object'),
    ]);
  });
});

describe('the keys of a middleware', () => {
  test.each(['modern', 'legacy'] as const)(
    '%s: are its own, for effects and for input requests',
    async (era) => {
      const requestedSchema = { type: 'object' as const, properties: {} };
      const runs: string[] = [];
      const ask = (name: string): ServerMiddleware => {
        return async ({ method, context }, next) => {
          if (method !== 'tools/call') return next();
          const seen = await context.once('effect', () => {
            runs.push(name);
            return name;
          });
          const { action } = await context.elicit('sure', { message: name, requestedSchema });
          const all = await context.gather({
            more: { elicit: { message: seen, requestedSchema } },
          });
          const result = await next();
          return {
            ...result,
            content: [
              ...(result.content as []),
              { type: 'text', text: `${seen} ${action} ${Object.keys(all).join()}` },
            ],
          };
        };
      };
      const tool = defineTool({
        ...echo,
        name: 'both',
        inputSchema,
        handler: async (_args, context) => {
          const seen = await context.once('effect', () => {
            runs.push('handler');
            return 'handler';
          });
          await context.elicit('sure', { message: 'handler', requestedSchema });
          return seen;
        },
      });
      const asked: string[] = [];
      const client = await connectInMemory(
        createServer({
          info,
          tools: [tool],
          extensions: { middleware: [ask('first'), ask('second')] },
        }),
        {
          info,
          era,
          handlers: {
            elicit: ({ message }) => {
              asked.push(message);
              return Promise.resolve({ action: 'accept' });
            },
          },
        },
      );
      expect(await client.callTool('both', {})).toMatchObject({
        content: [
          { text: 'handler' },
          { text: 'second accept more' },
          { text: 'first accept more' },
        ],
      });
      expect(runs).toEqual(['first', 'second', 'handler']);
      expect(asked).toEqual(['first', 'first', 'second', 'second', 'handler']);
      await client.close();
    },
  );
});

describe('middleware around initialize', () => {
  test('that refuses it opens no session', async () => {
    const client = await connectRaw(
      serverWith([
        () => {
          throw new ProtocolError(ErrorCode.invalidRequest, 'Go away');
        },
      ]),
    );
    expect(await initialize(client, '2025-11-25')).toMatchObject({ error: { message: 'Go away' } });
    expect(await client.request(1, 'tools/list')).toMatchObject({ error: { code: -32602 } });
  });

  test('that refuses it lets only one of the requests that wait open a session', async () => {
    let openings = 0;
    const client = await connectRaw(
      serverWith([
        async ({ method }, next) => {
          if (method !== 'initialize') return next();
          openings += 1;
          const number = openings;
          await new Promise(setImmediate);
          if (number === 1) throw new ProtocolError(ErrorCode.invalidRequest, 'Go away');
          return next();
        },
      ]),
    );
    const params = { protocolVersion: '2025-11-25', capabilities: {} };
    const responses = await Promise.all([
      client.request(1, 'initialize', params),
      client.request(2, 'initialize', params),
      client.request(3, 'initialize', params),
      client.request(4, 'tools/list'),
    ]);
    expect(responses.map((response) => 'result' in response)).toEqual([false, true, false, true]);
  });

  test('may take its time: requests that follow at once belong to the session', async () => {
    const client = await connectRaw(
      serverWith([
        async ({ method, context }, next) => {
          if (method === 'initialize') await new Promise(setImmediate);
          expect(context.client.info?.name).toBe('raw');
          return { ...(await next()), seen: true };
        },
      ]),
    );
    const [opened, listed] = await Promise.all([
      initialize(client, '2025-11-25'),
      client.request(1, 'tools/list'),
    ]);
    expect(opened).toHaveProperty('result.seen', true);
    expect(listed).toHaveProperty('result.seen', true);
  });

  test('may change its params', async () => {
    const client = await connectRaw(
      serverWith([
        ({ method, params }, next) =>
          method === 'initialize' ? next({ ...params, protocolVersion: '2024-11-05' }) : next(),
      ]),
    );
    expect(await initialize(client, '2025-11-25')).toHaveProperty(
      'result.protocolVersion',
      '2024-11-05',
    );
  });
});
