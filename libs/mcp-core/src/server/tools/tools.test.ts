import { describe, expect, test } from 'vitest';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../era/versions.ts';
import { ErrorCode, ProtocolError, ToolError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import {
  connectRaw,
  initialize,
  modern,
  type RawClient,
} from '../../testing/raw-client.test.support.ts';
import { connectInMemory } from '../../testing/connect-in-memory.ts';
import { createServer } from '../create-server.ts';
import { defineTool, type ToolDefinition } from './tool.ts';

const info = { name: 'test-server', version: '1.2.3' };
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const anything = { type: 'object' } as const;
const serverMeta = { 'io.modelcontextprotocol/serverInfo': info };

const add = defineTool({
  name: 'add',
  title: 'Add',
  description: 'Adds two numbers',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  annotations,
  handler: ({ a, b }) => ({ structuredContent: { sum: a + b } }),
});

function tool(
  name: string,
  handler: ToolDefinition['handler'],
  rest: Partial<ToolDefinition> = {},
): ToolDefinition {
  return { name, description: name, inputSchema: anything, annotations, handler, ...rest };
}

interface Spoken {
  readonly client: RawClient;
  readonly errors: unknown[];
  readonly call: (params: JsonObject, id?: string | number) => Promise<JsonObject>;
}

/** A client that speaks the version, to a server with these tools. */
async function speak(
  version: ProtocolVersion,
  tools: readonly ToolDefinition[],
  capabilities: JsonObject = {},
): Promise<Spoken> {
  const errors: unknown[] = [];
  const client = await connectRaw(
    createServer({ info, tools, events: { onError: (error) => errors.push(error) } }),
  );
  if (version !== '2026-07-28') await initialize(client, version, capabilities);
  let nextId = 1;
  const call = (params: JsonObject, id: string | number = nextId++): Promise<JsonObject> =>
    client.request(id, 'tools/call', version === '2026-07-28' ? modern(params) : params);
  return { client, errors, call };
}

describe('tools/list', () => {
  test('is sorted by name and says the same to every revision, but for the schemas it cannot have', async () => {
    const { handler: _add, ...published } = add;
    const { outputSchema: _output, ...unstructured } = published;
    for (const version of PROTOCOL_VERSIONS) {
      const { client } = await speak(version, [tool('z', () => ({ content: [] })), add]);
      const { result } = await client.request(
        'list',
        'tools/list',
        version === '2026-07-28' ? modern() : undefined,
      );
      expect(result).toEqual({
        tools: [
          version < '2025-06-18' ? unstructured : published,
          { name: 'z', description: 'z', inputSchema: anything, annotations },
        ],
        ...(version === '2026-07-28'
          ? { resultType: 'complete', ttlMs: 60000, cacheScope: 'public', _meta: serverMeta }
          : {}),
      });
    }
  });

  test('takes an empty cursor as the first page and refuses any other', async () => {
    const { client } = await speak('2025-11-25', [add]);
    expect(await client.request(1, 'tools/list', { cursor: '' })).toHaveProperty('result.tools');
    expect(await client.request(2, 'tools/list', { cursor: 'page-2' })).toMatchObject({
      error: { code: -32602 },
    });
    expect(await client.request(3, 'tools/list', { cursor: 4 })).toMatchObject({
      error: { code: -32602 },
    });
  });
});

describe('tools/call', () => {
  test.each<[ProtocolVersion, JsonObject]>([
    [
      '2026-07-28',
      {
        resultType: 'complete',
        content: [{ type: 'text', text: '{"sum":3}' }],
        structuredContent: { sum: 3 },
        _meta: serverMeta,
      },
    ],
    [
      '2025-11-25',
      { content: [{ type: 'text', text: '{"sum":3}' }], structuredContent: { sum: 3 } },
    ],
    [
      '2025-06-18',
      { content: [{ type: 'text', text: '{"sum":3}' }], structuredContent: { sum: 3 } },
    ],
    ['2025-03-26', { content: [{ type: 'text', text: '{"sum":3}' }] }],
    ['2024-11-05', { content: [{ type: 'text', text: '{"sum":3}' }] }],
  ])('answers %s in its own shape', async (version, result) => {
    const { call } = await speak(version, [add]);
    expect(await call({ name: 'add', arguments: { a: 1, b: 2 } }, 0)).toEqual({
      jsonrpc: '2.0',
      id: 0,
      result,
    });
  });

  test.each(PROTOCOL_VERSIONS)(
    'wraps a structured value that is no object where %s needs it',
    async (version) => {
      const { call } = await speak(version, [
        tool('list', () => ({ structuredContent: [1] }), {
          outputSchema: { type: 'array', items: { type: 'integer' } },
        }),
      ]);
      const structured = {
        '2026-07-28': [1],
        '2025-11-25': { result: [1] },
        '2025-06-18': { result: [1] },
        '2025-03-26': undefined,
        '2024-11-05': undefined,
      };
      const { result } = await call({ name: 'list' });
      expect(result).toMatchObject({ content: [{ type: 'text', text: '[1]' }] });
      expect((result as JsonObject).structuredContent).toEqual(structured[version]);
    },
  );

  test.each(PROTOCOL_VERSIONS)(
    'reports invalid arguments to %s in the form of that version',
    async (version) => {
      const { call, errors } = await speak(version, [add]);
      const text =
        'Invalid arguments for add: "b" is required. Add it. "c" is not known. Remove it. "a" must be of type number.';
      const isProtocolError = version < '2025-11-25';
      expect(await call({ name: 'add', arguments: { a: 'one', c: 2 } })).toMatchObject(
        isProtocolError
          ? { error: { code: -32602, message: text } }
          : { result: { isError: true, content: [{ type: 'text', text }] } },
      );
      expect(errors).toEqual([]);
    },
  );

  test.each(PROTOCOL_VERSIONS)(
    'refuses unknown tools and malformed calls of %s with -32602',
    async (version) => {
      const { call } = await speak(version, [add]);
      expect(await call({ name: 'subtract' })).toMatchObject({
        error: { code: -32602, message: 'Unknown tool: subtract' },
      });
      for (const params of [
        {},
        { name: 7 },
        { name: 'add', arguments: [1, 2] },
        { name: 'add', arguments: 'a' },
        { name: 'add', arguments: null },
      ]) {
        expect(await call(params)).toMatchObject({ error: { code: -32602 } });
      }
    },
  );

  test('treats absent arguments as empty and tolerates unknown members', async () => {
    const { call } = await speak('2025-11-25', [
      tool('none', (args) => ({ structuredContent: { args } })),
    ]);
    expect(
      await call({ name: 'none', task: { ttl: 5 }, future: true, _meta: { x: 1 } }),
    ).toMatchObject({ result: { structuredContent: { args: {} } } });
  });

  test('refuses a requestState that was not issued here, and ignores the member where it means nothing', async () => {
    const forged = { name: 'add', arguments: { a: 1, b: 2 }, requestState: 'forged' };
    const { call, client } = await speak('2026-07-28', [add]);
    expect(await call(forged)).toMatchObject({ error: { code: -32602 } });
    expect(
      await client.request('list', 'tools/list', modern({ requestState: 'forged' })),
    ).toHaveProperty('result');
    const legacy = await speak('2025-11-25', [add]);
    expect(await legacy.call(forged)).toHaveProperty('result.structuredContent.sum', 3);
  });

  test('gives the text of a ToolError to the model, with its structured part', async () => {
    const failing = tool('fail', () => {
      throw new ToolError('No such city. Try another spelling.', {
        structuredContent: { code: 'NOT_FOUND' },
      });
    });
    const { call, errors } = await speak('2025-11-25', [failing]);
    expect(await call({ name: 'fail' })).toMatchObject({
      result: {
        isError: true,
        content: [{ type: 'text', text: 'No such city. Try another spelling.' }],
        structuredContent: { code: 'NOT_FOUND' },
      },
    });
    expect(errors).toEqual([]);
  });

  test('hides every other failure from the peer and reports it', async () => {
    const crash = new Error('/home/user/secret');
    const tools = [
      tool('sync', () => {
        throw crash;
      }),
      tool('async', () => Promise.reject(crash)),
      tool('odd', () => Promise.reject(undefined)),
    ];
    const { call, errors } = await speak('2025-11-25', tools);
    for (const { name } of tools) {
      expect(await call({ name })).toMatchObject({
        result: {
          isError: true,
          content: [{ type: 'text', text: `${name} failed because of an internal error.` }],
        },
      });
    }
    expect(errors).toEqual([crash, crash, undefined]);
  });

  test('gives the text of a protocol error, which is meant for the peer', async () => {
    const { call } = await speak('2025-11-25', [
      tool('no', () => Promise.reject(new ProtocolError(-1, 'The user refused'))),
    ]);
    expect(await call({ name: 'no' })).toMatchObject({
      result: { isError: true, content: [{ text: 'The user refused' }] },
    });
  });

  test.each([
    ['2025-11-25', { elicitation: { url: {} } }, true],
    ['2025-11-25', { elicitation: {} }, false],
    ['2025-06-18', { elicitation: { url: {} } }, false],
  ])(
    'answers %s, client with %j, with the error -32042 that it throws: %s',
    async (version, capabilities, isError) => {
      const data = {
        elicitations: [
          { mode: 'url', elicitationId: 'a', url: 'https://example.org/a', message: 'Sign in' },
        ],
      };
      const refuse = tool('visit', () =>
        Promise.reject(
          new ProtocolError(ErrorCode.urlElicitationRequired, 'Sign in first', { data }),
        ),
      );
      const client = await connectRaw(
        createServer({ info: { name: 's', version: '1' }, tools: [refuse] }),
      );
      await initialize(client, version, capabilities);
      const answer = await client.request('visit', 'tools/call', { name: 'visit', arguments: {} });
      expect(answer).toMatchObject(
        isError
          ? { error: { code: -32042, message: 'Sign in first', data } }
          : { result: { isError: true, content: [{ text: 'Sign in first' }] } },
      );
    },
  );

  test('gives ids to the URL elicitations of an error -32042, and does not send one without them', async () => {
    const { call, errors } = await speak(
      '2025-11-25',
      [
        [{ mode: 'url', url: 'https://example.org/a', message: 'Sign in' }],
        [],
        [{ mode: 'form' }],
      ].map((elicitations, index) =>
        tool(`visit_${index}`, () => {
          const data = index === 1 ? undefined : { elicitations };
          throw new ProtocolError(ErrorCode.urlElicitationRequired, 'Sign in first', { data });
        }),
      ),
      { elicitation: { url: {} } },
    );
    expect(await call({ name: 'visit_0' })).toMatchObject({
      error: {
        code: -32042,
        data: {
          elicitations: [
            { url: 'https://example.org/a', elicitationId: expect.any(String) as string },
          ],
        },
      },
    });
    for (const name of ['visit_1', 'visit_2'])
      expect(await call({ name })).toMatchObject({
        result: { isError: true, content: [{ text: 'Sign in first' }] },
      });
    expect(errors.map(String)).toEqual([
      expect.stringContaining('visit_1 threw the error code -32042 without'),
      expect.stringContaining('visit_2 threw the error code -32042 without'),
    ]);
  });

  test.each([
    [{ structuredContent: { sum: 'three' } }],
    [{ content: [{ type: 'text', text: 'three' }] } as const],
  ])('does not send a result that breaks the output schema: %j', async (output) => {
    const { call, errors } = await speak('2025-11-25', [
      tool('bad', () => output, { outputSchema: add.outputSchema! }),
    ]);
    expect(await call({ name: 'bad' })).toMatchObject({
      result: { isError: true, content: [{ text: 'bad failed because of an internal error.' }] },
    });
    expect(String(errors[0])).toContain('The result of bad does not conform to its output schema');
  });

  test('does not hold an error result to the output schema', async () => {
    const { call } = await speak('2025-11-25', [
      tool('bad', () => ({ content: [], isError: true }), { outputSchema: add.outputSchema! }),
    ]);
    expect(await call({ name: 'bad' })).toMatchObject({ result: { isError: true, content: [] } });
  });

  test('answers other calls while one handler never ends', async () => {
    const { call } = await speak('2025-11-25', [
      tool('stuck', () => new Promise(() => undefined)),
      add,
    ]);
    void call({ name: 'stuck' });
    expect(await call({ name: 'add', arguments: { a: 1, b: 1 } })).toHaveProperty(
      'result.structuredContent.sum',
      2,
    );
  });

  test('answers an internal error when the result cannot be written', async () => {
    const { call } = await speak('2025-11-25', [
      tool('big', () => ({ content: [], structuredContent: { n: 1n } })),
    ]);
    expect(await call({ name: 'big' })).toMatchObject({
      error: { code: -32603, message: 'Internal error' },
    });
  });

  test('reports an input schema that cannot be compiled and fails only its own calls', async () => {
    const broken = tool('broken', () => ({ content: [] }), {
      inputSchema: { type: 'object', properties: { a: { type: 'nonsense' } } },
    });
    const { call, errors } = await speak('2025-11-25', [broken, add]);
    expect(await call({ name: 'broken' })).toMatchObject({
      error: { code: -32603, message: 'Internal error' },
    });
    expect(await call({ name: 'add', arguments: { a: 1, b: 1 } })).toHaveProperty('result');
    expect(errors).toHaveLength(1);
  });
});

describe('createServer', () => {
  test.each([
    ['Invalid tool name "a b"', [tool('a b', () => ({ content: [] }))]],
    ['Invalid tool name ""', [tool('', () => ({ content: [] }))]],
    ['Two tools are named add', [add, add]],
    [
      'The input schema of x must have type "object"',
      [tool('x', () => ({ content: [] }), { inputSchema: {} })],
    ],
  ])('refuses tools it cannot publish: %s', (message, tools) => {
    expect(() => createServer({ info, tools })).toThrow(message);
  });
});

test.each(PROTOCOL_VERSIONS)(
  '%s: an answer does not grow with the names it refuses',
  async (version) => {
    const { call } = await speak(version, [add]);
    const huge = 'x'.repeat(1_000_000);
    for (const params of [{ name: huge }, { name: 'add', arguments: { a: 1, b: 2, [huge]: 3 } }]) {
      const answer = JSON.stringify(await call(params));
      expect(answer).toContain('xxx');
      expect(answer.length).toBeLessThan(2000);
    }
  },
);

test('a tool of another server is served again as it was listed, also without a description', async () => {
  const upstream = await connectInMemory(
    createServer({ info, tools: [{ name: 'bare', inputSchema: anything, handler: () => 'done' }] }),
  );
  const listed = await upstream.listTools();
  expect(listed).toEqual([{ name: 'bare', inputSchema: anything }]);
  const tools = listed.map((each) => ({
    ...each,
    handler: (args: JsonObject) => upstream.callTool(each.name, args),
  }));
  const client = await connectInMemory(createServer({ info, tools }));
  expect(await client.listTools()).toEqual(listed);
  expect(await client.callTool('bare', {})).toMatchObject({
    content: [{ type: 'text', text: 'done' }],
  });
  await Promise.all([client.close(), upstream.close()]);
});
