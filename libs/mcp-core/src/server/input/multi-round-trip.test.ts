import { describe, expect, test } from 'vitest';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { ElicitFormParams } from '../../protocol/client-features.ts';
import { connectRaw, modern, type RawClient } from '../../testing/raw-client.test.support.ts';
import type { InteractiveContext } from '../requests/request-context.ts';
import { createServer } from '../create-server.ts';
import type { ServerOptions } from '../server.ts';
import type { ToolDefinition } from '../tools/tool.ts';

const info = { name: 'test-server', version: '1' };
const harmless = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const destructive = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
};
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const KEYS = ['k'.repeat(32)];

const form = (message: string): ElicitFormParams => ({
  message,
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string', minLength: 2 } },
    required: ['name'],
  },
});
const accept = (name: unknown): JsonObject => ({ action: 'accept', content: { name } });

interface Setup extends Partial<ServerOptions> {
  readonly annotations?: ToolDefinition['annotations'];
}

/** A server whose tool `run` gives the JSON of what this returns. */
async function serve(
  run: (context: InteractiveContext, args: JsonObject) => unknown,
  { annotations = harmless, ...options }: Setup = {},
): Promise<RawClient> {
  const handler = async (args: JsonObject, context: InteractiveContext) => ({
    structuredContent: { value: await run(context, args) },
  });
  const tool = {
    name: 'run',
    description: 'Runs',
    inputSchema: { type: 'object' },
    annotations,
    handler,
  } as ToolDefinition;
  return connectRaw(createServer({ info, tools: [tool], ...options }));
}

let lastId = 0;
/** Runs a round: returns the result or the error of a call with these members added. */
async function call(
  client: RawClient,
  round: JsonObject = {},
  meta: JsonObject = {},
): Promise<JsonObject> {
  lastId += 1;
  const params = modern(
    { name: 'run', ...round },
    { 'io.modelcontextprotocol/clientCapabilities': capabilities, ...meta },
  );
  const { result, error } = await client.request(lastId, 'tools/call', params);
  return (result ?? { error }) as JsonObject;
}
const answer = (asked: JsonObject, inputResponses: JsonObject): JsonObject => ({
  requestState: asked.requestState,
  inputResponses,
});
const keysOf = ({ inputRequests }: JsonObject): string[] =>
  isJsonObject(inputRequests) ? Object.keys(inputRequests) : [];

describe('a modern request that requires input', () => {
  test('returns input_required and continues with the response', async () => {
    const client = await serve(
      async (context) => (await context.elicit('who', form('Name?'))).content,
    );
    const asked = await call(client);
    expect(asked).toEqual({
      resultType: 'input_required',
      inputRequests: { who: { method: 'elicitation/create', params: form('Name?') } },
      requestState: expect.any(String) as string,
      _meta: { 'io.modelcontextprotocol/serverInfo': info },
    });
    expect(await call(client, answer(asked, { who: accept('Ada') }))).toMatchObject({
      resultType: 'complete',
      structuredContent: { value: { name: 'Ada' } },
    });
  });

  test('keeps the responses of all rounds, in any instance that has the key', async () => {
    const ask = async (context: InteractiveContext) => [
      (await context.elicit('first', form('First?'))).content,
      (await context.sample('second', { messages: [], maxTokens: 1 })).model,
      await context.listRoots(),
    ];
    const [one, two, three, four] = await Promise.all(
      [1, 2, 3, 4].map(() => serve(ask, { settings: { requestState: { keys: KEYS } } })),
    );
    const first = await call(one!);
    const second = await call(two!, answer(first, { first: accept('Ada') }));
    expect(keysOf(second)).toEqual(['second']);
    const third = await call(
      three!,
      answer(second, {
        second: { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' },
      }),
    );
    expect(third.inputRequests).toEqual({ roots: { method: 'roots/list', params: {} } });
    const done = await call(four!, answer(third, { roots: { roots: [{ uri: 'file:///a' }] } }));
    expect(done).toMatchObject({
      structuredContent: { value: [{ name: 'Ada' }, 'm', [{ uri: 'file:///a' }]] },
    });
  });

  test('collects the input requests of one turn in one round, and repeats only those without a response', async () => {
    const client = await serve(async (context) => {
      const [a, b] = await Promise.all([
        context.elicit('a', form('A?')),
        context.elicit('b', form('B?')),
      ]);
      return [a.content, b.action];
    });
    const asked = await call(client);
    expect(keysOf(asked)).toEqual(['a', 'b']);
    const again = await call(client, answer(asked, { a: accept('Ada'), unknown: accept('x') }));
    expect(keysOf(again)).toEqual(['b']);
    expect(await call(client, answer(again, { b: { action: 'decline' } }))).toMatchObject({
      structuredContent: { value: [{ name: 'Ada' }, 'decline'] },
    });
  });

  test('gathers in one round', async () => {
    const client = await serve((context) =>
      context.gather({ who: { elicit: form('Name?') }, where: { listRoots: true } }),
    );
    const asked = await call(client);
    expect(keysOf(asked)).toEqual(['who', 'where']);
    const done = await call(client, answer(asked, { who: accept('Ada'), where: { roots: [] } }));
    expect(done).toMatchObject({
      structuredContent: { value: { who: { content: { name: 'Ada' } }, where: [] } },
    });
  });

  test.each([
    ['wrong type', accept(7)],
    ['too short', accept('A')],
    ['missing field', { action: 'accept' }],
    ['no action', { content: { name: 'Ada' } }],
    ['no object', 'Ada'],
    ['null', null],
  ])('repeats the input request when the response does not fit: %s', async (_what, response) => {
    const client = await serve(
      async (context) => (await context.elicit('who', form('Name?'))).content,
    );
    const again = await call(client, answer(await call(client), { who: response }));
    expect(keysOf(again)).toEqual(['who']);
    expect(await call(client, answer(again, { who: accept('Ada') }))).toMatchObject({
      structuredContent: { value: { name: 'Ada' } },
    });
  });

  test('ignores a response to an unknown input request', async () => {
    const client = await serve(async (context) => [
      await context.elicit('first', form('First?')),
      await context.elicit('second', form('Second?')),
    ]);
    const asked = await call(client);
    expect(keysOf(asked)).toEqual(['first']);
    const second = await call(
      client,
      answer(asked, { first: accept('Ada'), second: accept('Bob') }),
    );
    expect(keysOf(second)).toEqual(['second']);
  });

  test('accepts responses without a state, ignores unknown keys, and does not run destructive tools for them', async () => {
    const run = async (context: InteractiveContext) =>
      (await context.elicit('who', form('Name?'))).content;
    const inputResponses = { who: accept('Ada'), whom: accept('Bob') };
    expect(await call(await serve(run), { inputResponses })).toMatchObject({
      structuredContent: { value: { name: 'Ada' } },
    });
    expect(
      keysOf(await call(await serve(run, { annotations: destructive }), { inputResponses })),
    ).toEqual(['who']);
  });

  test('repeats the input request when a new release uses its key for a different request', async () => {
    const before = await serve((context) => context.elicit('who', form('Name?')), {
      settings: { requestState: { keys: KEYS } },
    });
    const after = await serve((context) => context.elicit('who', form('Your full name?')), {
      settings: { requestState: { keys: KEYS } },
    });
    const again = await call(after, answer(await call(before), { who: accept('Ada') }));
    expect(again).toMatchObject({
      inputRequests: { who: { params: { message: 'Your full name?' } } },
    });
  });
});

describe('suspension', () => {
  test('is final: whatever the handler does with it, the result is input_required', async () => {
    const errors: unknown[] = [];
    const client = await serve(
      async (context, { how }) => {
        const said = await context.elicit('who', form('Name?')).catch((reason: unknown) => reason);
        if (how === 'throw') throw new Error('gave up', { cause: said });
        return 'done without';
      },
      { events: { onError: (error) => errors.push(error) } },
    );
    expect(keysOf(await call(client, { arguments: { how: 'return' } }))).toEqual(['who']);
    expect(keysOf(await call(client, { arguments: { how: 'throw' } }))).toEqual(['who']);
    expect(errors).toEqual([]);
  });

  test('aborts the signal, runs finally blocks, and ignores later input requests', async () => {
    const seen: unknown[] = [];
    const client = await serve(async (context) => {
      const { signal } = context;
      try {
        return await context.elicit('who', form('Name?'));
      } catch {
        seen.push(signal.aborted, (signal.reason as Error).name);
        return await context.elicit('other', form('Other?'));
      } finally {
        seen.push('finally');
      }
    });
    expect(keysOf(await call(client))).toEqual(['who']);
    expect(seen).toEqual([true, 'Suspended', 'finally']);
  });

  test('waits for the started effects, and stores their results', async () => {
    const release = Promise.withResolvers<undefined>();
    let effects = 0;
    const client = await serve(async (context) => {
      const effect = context.once('effect', async () => {
        await release.promise;
        effects += 1;
        return { at: effects, skipped: undefined };
      });
      const [value] = await Promise.all([effect, context.elicit('who', form('Name?'))]);
      return value;
    });
    const asking = call(client);
    setImmediate(() => release.resolve(undefined));
    const done = await call(client, answer(await asking, { who: accept('Ada') }));
    expect(done).toMatchObject({ structuredContent: { value: { at: 1 } } });
    expect(effects).toBe(1);
  });

  test('a handler that does not await its input request does not end the process', async () => {
    const client = await serve((context) => {
      void context.elicit('who', form('Name?'));
      return 'done';
    });
    expect(keysOf(await call(client))).toEqual(['who']);
  });

  test('does not repeat progress and log messages during replay', async () => {
    const client = await serve(async (context) => {
      context.progress({ progress: 1 });
      context.log('info', 'before');
      await context.elicit('who', form('Name?'));
      context.progress({ progress: 2 });
      context.log('info', 'after');
    });
    const meta = { progressToken: 't', 'io.modelcontextprotocol/logLevel': 'info' };
    const asked = await call(client, {}, meta);
    await call(client, answer(asked, { who: accept('Ada') }), meta);
    const told = client.received.filter(isJsonObject).filter((message) => 'method' in message);
    expect(
      told.map(({ params }) => (params as JsonObject).data ?? (params as JsonObject).progress),
    ).toEqual([1, 'before', 2, 'after']);
  });

  test('two different input requests with one key are an error of the handler', async () => {
    const errors: unknown[] = [];
    const client = await serve(
      async (context) => {
        await context.elicit('who', form('Name?'));
        await context.elicit('who', form('Other?'));
      },
      { events: { onError: (error) => errors.push(error) } },
    );
    const done = await call(client, answer(await call(client), { who: accept('Ada') }));
    expect(done).toMatchObject({ isError: true });
    expect(errors).toMatchObject([{ message: expect.stringContaining('"who"') as string }]);
  });

  test('a journal that is too large is an error', async () => {
    const errors: unknown[] = [];
    const client = await serve(
      async (context) => {
        await context.once('large', () => 'x'.repeat(65 * 1024));
        await context.elicit('who', form('Name?'));
      },
      { events: { onError: (error) => errors.push(error) } },
    );
    expect(await call(client)).toMatchObject({ error: { code: -32603 } });
    expect(errors).toMatchObject([{ message: expect.stringContaining('at most 65536') as string }]);
  });
});

describe('requestState', () => {
  const ask = (context: InteractiveContext) => context.elicit('who', form('Name?'));

  test.each([
    [
      'changed',
      (state: string) => `${state.slice(0, 40)}${state[40] === 'A' ? 'B' : 'A'}${state.slice(41)}`,
    ],
    ['cut', (state: string) => state.slice(0, -4)],
    ['foreign', () => 'bm90IG91cnM'],
    ['empty', () => ''],
    ['no string', () => 7],
    ['another spelling', (state: string) => `${state}=`],
  ])('%s is refused', async (_what, change) => {
    const client = await serve(ask);
    const asked = await call(client);
    const requestState = change(String(asked.requestState));
    expect(
      await call(client, { requestState, inputResponses: { who: accept('Ada') } }),
    ).toMatchObject({ error: { code: -32602 } });
  });

  test('is refused for other arguments, and accepted for the same in another order', async () => {
    const client = await serve(ask);
    const asked = await call(client, { arguments: { a: 1, b: { c: 2, d: 3 } } });
    const responses = answer(asked, { who: accept('Ada') });
    expect(
      await call(client, { arguments: { a: 2, b: { c: 2, d: 3 } }, ...responses }),
    ).toMatchObject({ error: { code: -32602 } });
    expect(
      await call(client, { arguments: { b: { d: 3, c: 2 }, a: 1 }, ...responses }),
    ).toMatchObject({ resultType: 'complete' });
  });

  test('is refused when it has expired', async () => {
    let now = 1000;
    const client = await serve(ask, { settings: { requestState: { ttlMs: 50, now: () => now } } });
    const asked = await call(client);
    now = 1050;
    expect(await call(client, answer(asked, { who: accept('Ada') }))).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('expired') as string },
    });
  });

  test('is sealed with the first key and opened with every key', async () => {
    const [old, both, renewed] = await Promise.all(
      [['o'], ['n', 'o'], ['n']].map((keys) =>
        serve(ask, { settings: { requestState: { keys: keys.map((key) => key.repeat(40)) } } }),
      ),
    );
    const asked = await call(old!);
    const responses = { who: accept('Ada') };
    expect(await call(both!, answer(asked, responses))).toMatchObject({ resultType: 'complete' });
    expect(await call(renewed!, answer(asked, responses))).toMatchObject({
      error: { code: -32602 },
    });
    expect(await call(renewed!, answer(await call(both!), responses))).toMatchObject({
      resultType: 'complete',
    });
  });

  test('a short key is refused at once', () => {
    expect(() => createServer({ info, settings: { requestState: { keys: ['short'] } } })).toThrow(
      '32 characters',
    );
  });

  test('runs a destructive call once, however often its response is sent', async () => {
    let deletions = 0;
    const handler = async (context: InteractiveContext) => {
      await ask(context);
      deletions += 1;
    };
    const guarded = await serve(handler, { annotations: destructive });
    const asked = await call(guarded);
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => call(guarded, answer(asked, { who: accept('Ada') }))),
    );
    expect(outcomes.filter(({ error }) => error === undefined)).toHaveLength(1);
    expect(deletions).toBe(1);

    // The control: without the memory of used states every answer runs it.
    const unguarded = await serve(handler, {
      annotations: destructive,
      settings: { requestState: { used: { use: () => true } } },
    });
    const state = await call(unguarded);
    await Promise.all([1, 2, 3].map(() => call(unguarded, answer(state, { who: accept('Ada') }))));
    expect(deletions).toBe(4);
  });

  test.each(['__proto__', 'constructor'])('a key may be %s', async (key) => {
    let effects = 0;
    const client = await serve(async (context) => {
      await context.once(key, () => (effects += 1));
      const { action } = await context.elicit(key, form('Name?'));
      await context.elicit('last', form('Sure?'));
      return action;
    });
    const first = await call(client);
    const second = await call(
      client,
      answer(first, JSON.parse(`{"${key}":{"action":"decline"}}`) as JsonObject),
    );
    expect(keysOf(second)).toEqual(['last']);
    expect(await call(client, answer(second, { last: accept('ada') }))).toMatchObject({
      structuredContent: { value: 'decline' },
    });
    expect(effects).toBe(1);
  });

  test('inputResponses that are no object are refused', async () => {
    const client = await serve(ask);
    const { requestState } = await call(client);
    expect(await call(client, { requestState, inputResponses: [accept('Ada')] })).toMatchObject({
      error: { code: -32602 },
    });
  });
});

test('an idempotency key covers the whole request, not a round', async () => {
  let runs = 0;
  const client = await serve(async (context) => {
    const { content } = await context.elicit('who', form('Name?'));
    runs += 1;
    return content;
  });
  const meta = { 'dev.signalbox/idempotency-key': 'key-1' };
  const asked = await call(client, {}, meta);
  const done = await call(client, answer(asked, { who: accept('Ada') }), meta);
  expect(await call(client, {}, meta)).toEqual(done);
  expect(runs).toBe(1);
});

test('resources/read may require input; only its complete result is cached', async () => {
  const server = createServer({
    info,
    resources: {
      list: () => Promise.resolve({ resources: [] }),
      read: async (uri, context) => ({
        contents: [
          { uri, text: String((await context.elicit('who', form('Name?'))).content?.name) },
        ],
        ttlMs: 5,
      }),
    },
  });
  const client = await connectRaw(server);
  const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities };
  const asked = (await client.request('a', 'resources/read', modern({ uri: 'x:1' }, meta)))
    .result as JsonObject;
  expect(asked).not.toHaveProperty('ttlMs');
  const done = await client.request(
    'b',
    'resources/read',
    modern({ uri: 'x:1', ...answer(asked, { who: accept('Ada') }) }, meta),
  );
  expect(done.result).toMatchObject({ contents: [{ text: 'Ada' }], ttlMs: 5 });
});
