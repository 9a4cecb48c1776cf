import { describe, expect, expectTypeOf, test } from 'vitest';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../era/versions.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { StandardResult, StandardSchema } from '../../schema/standard-schema.ts';
import { connectRaw, initialize, modern } from '../../testing/raw-client.test.support.ts';
import { speak } from '../../testing/speak.test.support.ts';
import { createServer } from '../create-server.ts';
import { definePrompt } from '../prompts/prompt.ts';
import type { ServerOptions } from '../server.ts';
import { defineTool, type ToolDefinition } from '../tools/tool.ts';

const info = { name: 'test-server', version: '1' };
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

function tool(name: string, rest: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name,
    description: name,
    inputSchema: { type: 'object' },
    annotations,
    handler: () => ({ content: [{ type: 'text', text: name }] }),
    ...rest,
  };
}

interface Listed {
  readonly tools: { readonly name: string; readonly execution?: unknown }[];
  readonly nextCursor?: string;
}

describe('tools/list', () => {
  test('has the same order however the tools are given', async () => {
    const names = ['b', 'B', 'a_1', 'a.1', 'a-1'];
    for (const given of [names, names.toReversed()]) {
      const ask = await speak(
        createServer({ info, tools: given.map((name) => tool(name)) }),
        '2025-11-25',
      );
      const { tools } = (await ask('tools/list')).result as Listed;
      expect(tools.map(({ name }) => name)).toEqual(['B', 'a-1', 'a.1', 'a_1', 'b']);
    }
  });

  test.each(PROTOCOL_VERSIONS)('%s: comes in pages, each tool once', async (version) => {
    const names = Array.from(
      { length: 25 },
      (_, index) => `tool_${String(index).padStart(2, '0')}`,
    );
    const ask = await speak(
      createServer({
        info,
        tools: names.map((name) => tool(name)),
        settings: { lists: { pageSize: 10 } },
      }),
      version,
    );
    const seen: string[] = [];
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const { tools, nextCursor } = (
        await ask('tools/list', cursor === undefined ? {} : { cursor })
      ).result as Listed;
      sizes.push(tools.length);
      seen.push(...tools.map(({ name }) => name));
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(names);
    expect(sizes).toEqual([10, 10, 5]);
  });

  test('continues after a cursor when the tools were replaced', async () => {
    const server = createServer({
      info,
      tools: ['a', 'c', 'e'].map((name) => tool(name)),
      settings: { lists: { pageSize: 2 } },
    });
    const ask = await speak(server, '2026-07-28');
    const { nextCursor: cursor } = (await ask('tools/list')).result as Listed;
    server.setTools(['b', 'd', 'e', 'f'].map((name) => tool(name)));
    const { tools, nextCursor } = (await ask('tools/list', { cursor })).result as Listed;
    expect(tools.map(({ name }) => name)).toEqual(['d', 'e']);
    expect((await ask('tools/list', { cursor: nextCursor })).result).toMatchObject({
      tools: [{ name: 'f' }],
    });
  });

  test('continues exactly after the last page, with an empty page after the last tool', async () => {
    const server = createServer({
      info,
      tools: ['a', 'b'].map((name) => tool(name)),
      settings: { lists: { pageSize: 1 } },
    });
    const ask = await speak(server, '2025-11-25');
    const { nextCursor: cursor } = (await ask('tools/list')).result as Listed;
    server.setTools([tool('a')]);
    expect((await ask('tools/list', { cursor })).result).toEqual({ tools: [] });
    expect(((await ask('tools/list')).result as Listed).nextCursor).toBeUndefined();
  });

  test('publishes task support in 2025-11-25 only', async () => {
    const tools = [
      tool('never'),
      tool('optional', { task: 'optional' }),
      tool('required', { task: 'required' }),
    ];
    for (const version of PROTOCOL_VERSIONS) {
      const ask = await speak(createServer({ info, tools }), version);
      const { result } = await ask('tools/list');
      const told = [undefined, { taskSupport: 'optional' }, { taskSupport: 'required' }];
      expect((result as Listed).tools.map(({ execution }) => execution)).toEqual(
        version === '2025-11-25' ? told : [undefined, undefined, undefined],
      );
      expect(JSON.stringify(result)).not.toContain('"task"');
    }
  });

  test('is encoded once for each revision and page', async () => {
    const server = createServer({
      info,
      tools: ['a', 'b', 'c'].map((name) => tool(name)),
      settings: { lists: { pageSize: 1 } },
    });
    const link = { signal: new AbortController().signal, notify: () => Promise.resolve() };
    const list = async (
      legacyVersion: ProtocolVersion | undefined,
      cursor?: string,
    ): Promise<unknown> => {
      const params: JsonObject = cursor === undefined ? {} : { cursor };
      const request = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/list',
        params: legacyVersion === undefined ? modern(params) : params,
      } as const;
      const response = await server.handle(request, {
        ...link,
        ...(legacyVersion === undefined ? {} : { legacyVersion }),
      });
      return 'result' in response ? response.result : response.error;
    };
    const first = (await list('2025-11-25')) as Listed;
    expect(await list('2025-11-25')).toBe(first);
    expect(await list('2025-11-25', '')).toBe(first);
    expect(await list('2025-06-18')).not.toBe(first);
    expect(await list(undefined)).toMatchObject({ resultType: 'complete' });
    const second = await list('2025-11-25', first.nextCursor);
    expect(second).toMatchObject({ tools: [{ name: 'b' }] });
    expect(await list('2025-11-25', first.nextCursor)).toBe(second);
    server.setTools([tool('a')]);
    expect(await list('2025-11-25')).toMatchObject({ tools: [{ name: 'a' }] });
    expect(await list('2025-11-25')).not.toBe(first);
  });

  test('passes schemas on as they are, with icons and _meta', async () => {
    const inputSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' } },
        },
      },
      properties: {
        address: { $ref: '#/$defs/address' },
        region: { type: 'string', 'x-mcp-header': 'Region' },
      },
      allOf: [{ anyOf: [{ required: ['address'] }, { required: ['region'] }] }],
      if: { required: ['region'] },
      else: { required: ['address'] },
      additionalProperties: false,
    };
    const icons = [
      {
        src: 'https://example.com/i.svg',
        mimeType: 'image/svg+xml',
        sizes: ['any'],
        theme: 'dark' as const,
      },
    ];
    const meta = { 'io.modelcontextprotocol/ui': { resourceUri: 'ui://x' } };
    const server = createServer({
      info,
      tools: [tool('x', { inputSchema, icons, _meta: meta, title: 'X' })],
    });
    const expected = {
      name: 'x',
      title: 'X',
      description: 'x',
      inputSchema,
      annotations,
      icons,
      _meta: meta,
    };
    for (const version of PROTOCOL_VERSIONS) {
      const ask = await speak(server, version);
      expect(((await ask('tools/list')).result as Listed).tools).toEqual([expected]);
    }
    expect(server.tool('x')).toEqual(expected);
    expect(server.tool('toString')).toBeUndefined();
  });
});

describe('a header annotation that clients must refuse', () => {
  test.each<[string, JsonObject]>([
    ['is not a header name', { a: { type: 'string', 'x-mcp-header': 'Not A Token' } }],
    [
      'is on a parameter that is not a string, integer or boolean',
      { a: { type: 'object', 'x-mcp-header': 'A' } },
    ],
    [
      'repeats the name a',
      { x: { type: 'string', 'x-mcp-header': 'A' }, y: { type: 'string', 'x-mcp-header': 'a' } },
    ],
  ])('is refused here: it %s', (problem, properties) => {
    expect(() =>
      createServer({ info, tools: [tool('x', { inputSchema: { type: 'object', properties } })] }),
    ).toThrow(problem);
  });
});

describe('setTools and setPrompts', () => {
  test('replace the table at once and notify every subscriber', async () => {
    const server = createServer({ info, tools: [tool('old')], prompts: [] });
    const [legacy, listening] = await Promise.all([connectRaw(server), connectRaw(server)]);
    await initialize(legacy, '2025-06-18');
    listening.send({
      jsonrpc: '2.0',
      id: 'l',
      method: 'subscriptions/listen',
      params: modern({ notifications: { toolsListChanged: true, promptsListChanged: true } }),
    });
    await listening.find(({ method }) => method === 'notifications/subscriptions/acknowledged');
    await legacy.request(0, 'tools/list');
    server.setTools([tool('new')]);
    server.setPrompts([definePrompt({ name: 'p', handler: () => ({ messages: [] }) })]);
    for (const client of [legacy, listening]) {
      await client.find(({ method }) => method === 'notifications/tools/list_changed');
      await client.find(({ method }) => method === 'notifications/prompts/list_changed');
    }
    expect(((await legacy.request(1, 'tools/list')).result as Listed).tools).toMatchObject([
      { name: 'new' },
    ]);
    expect(await legacy.request(2, 'tools/call', { name: 'old' })).toMatchObject({
      error: { code: -32602, message: 'Unknown tool: old' },
    });
    expect(await legacy.request(3, 'prompts/list')).toMatchObject({
      result: { prompts: [{ name: 'p' }] },
    });
  });

  test('do not affect the definition of a running call', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    const outputSchema = { type: 'array' };
    const slow = tool('x', {
      outputSchema,
      handler: () => released.then(() => ({ structuredContent: [1] })),
    });
    const server = createServer({ info, tools: [slow] });
    const ask = await speak(server, '2025-11-25');
    const call = ask('tools/call', { name: 'x' });
    await ask('ping');
    server.setTools([tool('x', { outputSchema: { type: 'object' } })]);
    release(undefined);
    expect(await call).toMatchObject({ result: { structuredContent: { result: [1] } } });
  });

  test('can add the first completer to a server with an empty list of prompts', async () => {
    const server = createServer({ info, prompts: [] });
    const client = await connectRaw(server);
    expect(await initialize(client, '2025-11-25')).toMatchObject({
      result: { capabilities: { completions: {} } },
    });
    server.setPrompts([
      definePrompt({
        name: 'p',
        arguments: [{ name: 'x', complete: () => ['y'] }],
        handler: () => ({ messages: [] }),
      }),
    ]);
    const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'x', value: '' } };
    expect(await client.request(1, 'completion/complete', params)).toMatchObject({
      result: { completion: { values: ['y'] } },
    });
  });

  test('change nothing when the definitions are invalid', async () => {
    const server = createServer({
      info,
      tools: [tool('a')],
      prompts: [definePrompt({ name: 'bare', handler: () => ({ messages: [] }) })],
    });
    const client = await connectRaw(server);
    await initialize(client, '2025-11-25');
    expect(() => {
      server.setTools([tool('b'), tool('b')]);
    }).toThrow('Two tools are named b');
    expect(() => {
      server.setPrompts([
        definePrompt({
          name: 'p',
          arguments: [{ name: 'x', complete: () => [] }],
          handler: () => ({ messages: [] }),
        }),
      ]);
    }).toThrow('declared no completions');
    expect(await client.request(1, 'tools/list')).toMatchObject({
      result: { tools: [{ name: 'a' }] },
    });
    expect(await client.request(2, 'prompts/list')).toMatchObject({
      result: { prompts: [{ name: 'bare' }] },
    });
    expect(client.received.some((message) => 'method' in (message as object))).toBe(false);
  });

  test('cannot add features that were not declared', () => {
    const server = createServer({ info });
    expect(() => {
      server.setTools([]);
    }).toThrow('declared no tools');
    expect(() => {
      server.setPrompts([]);
    }).toThrow('declared no prompts');
  });
});

interface Sum {
  readonly a: number;
  readonly b?: string | undefined;
}

/** Takes `{ a: number, b?: text }`, fills in `b` and makes `a` a text; ten lines of what a validation library does. */
const sum: StandardSchema<Sum, { readonly a: string; readonly b: string }> = {
  '~standard': {
    version: 1,
    vendor: 'hand',
    validate: (value) => {
      const { a, b = 'default' } = value as Sum;
      return typeof a === 'number'
        ? { value: { a: String(a), b } }
        : { issues: [{ message: 'Expected a number', path: ['a'] }] };
    },
    jsonSchema: {
      input: () => ({
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'string', default: 'default' } },
        required: ['a'],
      }),
      output: () => ({
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        required: ['a', 'b'],
        additionalProperties: false,
      }),
    },
  },
};

describe('a tool with a Standard Schema', () => {
  const typed = defineTool({
    name: 'typed',
    description: 'typed',
    inputSchema: sum,
    outputSchema: sum,
    annotations,
    handler: ({ a, b }) => {
      expectTypeOf(a).toEqualTypeOf<string>();
      expectTypeOf(b).toEqualTypeOf<string>();
      return { structuredContent: { a: a.length, b } };
    },
  });

  test('publishes the JSON Schemas of its input and output', async () => {
    const ask = await speak(createServer({ info, tools: [typed] }), '2025-06-18');
    expect(((await ask('tools/list')).result as Listed).tools).toMatchObject([
      {
        name: 'typed',
        inputSchema: { required: ['a'] },
        outputSchema: { required: ['a', 'b'], additionalProperties: false },
      },
    ]);
  });

  test('transforms the arguments and the result', async () => {
    const ask = await speak(createServer({ info, tools: [typed] }), '2026-07-28');
    expect(await ask('tools/call', { name: 'typed', arguments: { a: 123 } })).toMatchObject({
      result: {
        structuredContent: { a: '3', b: 'default' },
        content: [{ type: 'text', text: '{"a":"3","b":"default"}' }],
      },
    });
  });

  test.each(PROTOCOL_VERSIONS)('%s: refuses arguments like any other', async (version) => {
    const ask = await speak(createServer({ info, tools: [typed] }), version);
    const text = 'Invalid arguments for typed: "a": Expected a number.';
    const refusal =
      version < '2025-11-25'
        ? { error: { code: -32602, message: text } }
        : { result: { isError: true, content: [{ text }] } };
    expect(await ask('tools/call', { name: 'typed', arguments: { a: 'x' } })).toMatchObject(
      refusal,
    );
  });

  test('may validate later, and may fail', async () => {
    const later = (
      validate: (value: unknown) => Promise<StandardResult<JsonObject>>,
    ): StandardSchema => ({ '~standard': { ...sum['~standard'], validate } });
    const errors: unknown[] = [];
    const options: ServerOptions = {
      info,
      events: { onError: (error) => errors.push(error) },
      tools: [
        tool('later', {
          inputSchema: later((value) => Promise.resolve({ value: { got: value } })),
          handler: (args: JsonObject) => ({ structuredContent: args }),
        }),
        tool('broken', { inputSchema: later(() => Promise.reject(new Error('secret'))) }),
        tool('wrong', { outputSchema: sum, handler: () => ({ structuredContent: { a: 'x' } }) }),
      ],
    };
    const ask = await speak(createServer(options), '2026-07-28');
    expect(await ask('tools/call', { name: 'later', arguments: { x: 1 } })).toMatchObject({
      result: { structuredContent: { got: { x: 1 } } },
    });
    expect(await ask('tools/call', { name: 'broken' })).toMatchObject({
      error: { code: -32603, message: 'Internal error' },
    });
    expect(await ask('tools/call', { name: 'wrong' })).toMatchObject({
      result: { isError: true, content: [{ text: 'wrong failed because of an internal error.' }] },
    });
    expect(errors).toHaveLength(2);
  });

  test('needs a JSON Schema whose root is an object', () => {
    const { jsonSchema: _none, ...bare } = sum['~standard'];
    expect(() =>
      createServer({ info, tools: [tool('x', { inputSchema: { '~standard': bare } })] }),
    ).toThrow('The input schema of x cannot be published: This hand schema has no JSON Schema');
    const list = {
      ...sum['~standard'],
      jsonSchema: { ...sum['~standard'].jsonSchema!, input: () => ({ type: 'array' }) },
    };
    expect(() =>
      createServer({ info, tools: [tool('x', { inputSchema: { '~standard': list } })] }),
    ).toThrow('must have type "object"');
  });

  test('types the result of the handler', () => {
    const definition = defineTool({
      name: 'x',
      description: 'x',
      inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      outputSchema: sum,
      annotations,
      // @ts-expect-error -- `a` is a number in what the schema takes.
      handler: ({ n }) => ({ structuredContent: { a: String(n) } }),
    });
    expectTypeOf(definition).toEqualTypeOf<ToolDefinition>();
  });
});
