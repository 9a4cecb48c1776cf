import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { readMirroredParams } from '../../schema/mirrored-params.ts';
import { EvaluationUnavailableError } from '../../schema/schema-evaluator.ts';
import type { Client } from '../client.ts';
import type { ClientOptions } from '../client-options.ts';
import { connectClient } from '../connect-client.ts';
import { ListedTools } from './listed-tools.ts';
import { paramHeaders } from './param-headers.ts';
import {
  discovered,
  initialized,
  ScriptedServer,
  type Step,
} from '../testing/scripted-server.test.support.ts';

interface Connected {
  readonly client: Client;
  readonly server: ScriptedServer;
  readonly problems: string[];
}

async function connect(
  tools: readonly JsonObject[],
  options: Partial<ClientOptions> & {
    readonly carriesHeaders?: boolean;
    readonly call?: Step;
  } = {},
): Promise<Connected> {
  const { carriesHeaders = true, call = () => ({ result: { content: [] } }), ...rest } = options;
  const server = new ScriptedServer({
    'server/discover': discovered,
    initialize: initialized(),
    'tools/list': () => ({ result: { tools } }),
    'tools/call': call,
  });
  server.carriesHeaders = carriesHeaders;
  const problems: string[] = [];
  const client = await connectClient(() => server, {
    info: { name: 't', version: '0' },
    era: 'modern',
    events: { onProblem: ({ message }) => problems.push(message) },
    ...rest,
  });
  return { client, server, problems };
}

const header = (name: unknown, type = 'string'): JsonObject => ({ type, 'x-mcp-header': name });
const properties = (fields: JsonObject): JsonObject => ({ type: 'object', properties: fields });

describe('annotated parameters', () => {
  test('are found wherever properties alone lead', () => {
    const schema = properties({
      region: header('Region'),
      deep: properties({ count: header('X-Count', 'integer'), items: header('Items', 'boolean') }),
      plain: { type: 'string' },
    });
    expect(readMirroredParams(schema)).toEqual({
      params: [
        { name: 'Region', path: ['region'] },
        { name: 'X-Count', path: ['deep', 'count'] },
        { name: 'Items', path: ['deep', 'items'] },
      ],
    });
  });

  test.each<[string, JsonObject]>([
    ['without a name', properties({ a: header('') })],
    ['with a name that is no text', properties({ a: header(1) })],
    ['with a space', properties({ a: header('My Region') })],
    ['with a line break', properties({ a: header('Region\r\nX') })],
    ['with a colon', properties({ a: header('Region:') })],
    ['with letters outside ASCII', properties({ a: header('Région') })],
    ['with a name that another has', properties({ a: header('Region'), b: header('REGION') })],
    ['on a number', properties({ a: header('A', 'number') })],
    ['on an object', properties({ a: { ...properties({}), 'x-mcp-header': 'A' } })],
    ['without a type', properties({ a: { 'x-mcp-header': 'A' } })],
    ['at the root', { ...properties({}), type: 'string', 'x-mcp-header': 'A' }],
    ['in items', properties({ a: { type: 'array', items: header('A') } })],
    ['below items', properties({ a: { type: 'array', items: properties({ b: header('A') }) } })],
    ['in anyOf', properties({ a: { anyOf: [header('A')] } })],
    ['in oneOf at the root', { type: 'object', oneOf: [properties({ a: header('A') })] }],
    ['in else', { type: 'object', if: {}, else: properties({ a: header('A') }) }],
    ['in a definition', { ...properties({}), $defs: { a: header('A') } }],
    ['in patternProperties', { type: 'object', patternProperties: { a: header('A') } }],
    ['in additionalProperties', { type: 'object', additionalProperties: header('A') }],
  ])('%s make a tool unusable', (_name, schema) => {
    expect(readMirroredParams(schema)).toEqual({
      problem: expect.stringContaining('x-mcp-header') as string,
    });
  });

  test('are not looked for in data', () => {
    const schema = properties({
      a: { type: 'object', default: { 'x-mcp-header': '' }, examples: [{ 'x-mcp-header': '' }] },
      properties: { type: 'string' },
      items: { type: 'string' },
    });
    expect(readMirroredParams(schema)).toEqual({ params: [] });
  });

  test('are bounded in depth', () => {
    let schema: JsonObject = { type: 'string' };
    for (let depth = 0; depth < 5000; depth++) schema = properties({ a: schema });
    expect(readMirroredParams(schema)).toEqual({
      problem: expect.stringContaining('deep') as string,
    });
  });

  test('are sent as headers when they are present', () => {
    const params = ['s', 'n', 'b'].map((name) => ({ name, path: ['in', name] }));
    expect(paramHeaders(params, { in: { s: 'Hello, 世界', n: 42, b: false } })).toEqual({
      'Mcp-Param-s': '=?base64?SGVsbG8sIOS4lueVjA==?=',
      'Mcp-Param-n': '42',
      'Mcp-Param-b': 'false',
    });
    expect(paramHeaders(params, { in: { s: null, n: 1.5, b: {} } })).toEqual({});
    expect(paramHeaders(params, { in: 'text' })).toEqual({});
    expect(paramHeaders([{ name: 'p', path: ['toString'] }], {})).toEqual({});
  });
});

describe('a tool list', () => {
  const tools = [
    { name: 'good', inputSchema: properties({ region: header('Region') }) },
    { name: 'bad', inputSchema: properties({ region: header('') }) },
  ];

  test('over HTTP lacks the tools that cannot be called, and reports them', async () => {
    const { client, server, problems } = await connect(tools);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['good']);
    expect(problems).toEqual([expect.stringContaining('bad')]);
    await client.callTool('good', { region: 'eu' });
    await client.callTool('unheard-of', { region: 'eu' });
    expect(server.headersOf('tools/call')).toEqual([{ 'Mcp-Param-Region': 'eu' }, undefined]);
  });

  test('over other transports is complete', async () => {
    const { client, server } = await connect(tools, { carriesHeaders: false });
    expect(await client.listTools()).toHaveLength(2);
    await client.callTool('good', { region: 'eu' });
    expect(server.headersOf('tools/call')).toEqual([undefined]);
  });
});

describe('structured content', () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const tool = { name: 'a', inputSchema: { type: 'object' }, outputSchema };
  const answering =
    (result: JsonObject): Step =>
    () => ({ result: { content: [], ...result } });

  test('that fits is returned', async () => {
    const { client } = await connect([tool], { call: answering({ structuredContent: { n: 1 } }) });
    await client.listTools();
    expect(await client.callTool('a', {})).toMatchObject({ structuredContent: { n: 1 } });
    expect(await client.callTool('a', {})).toMatchObject({ structuredContent: { n: 1 } });
  });

  test.each<[string, JsonObject]>([
    ['does not fit', { structuredContent: { n: 'one' } }],
    ['is missing', {}],
  ])('that %s is rejected, reported or ignored', async (_name, result) => {
    for (const outputValidation of [undefined, 'report', 'off'] as const) {
      const { client, problems } = await connect([tool], {
        call: answering(result),
        ...(outputValidation === undefined ? {} : { output: { validation: outputValidation } }),
      });
      await client.listTools();
      const outcome = await client.callTool('a', {}).catch((error: unknown) => error);
      expect(outcome).toMatchObject(
        outputValidation === undefined ? { code: 'invalid-response', sent: true } : { content: [] },
      );
      expect(problems).toHaveLength(outputValidation === 'report' ? 1 : 0);
    }
  });

  test('is checked against a regular expression', async () => {
    const patterned = {
      ...tool,
      outputSchema: properties({ n: { type: 'string', pattern: '^a+$' } }),
    };
    for (const [n, outcome] of [
      ['aa', { structuredContent: { n: 'aa' } }],
      [
        'ab',
        {
          code: 'invalid-response',
          message: expect.stringContaining('must match pattern') as string,
        },
      ],
    ] as const) {
      const { client, problems } = await connect([patterned], {
        call: answering({ structuredContent: { n } }),
      });
      await client.listTools();
      expect(await client.callTool('a', {}).catch((error: unknown) => error)).toMatchObject(
        outcome,
      );
      expect(problems).toEqual([]);
    }
  });

  test('is validated by the evaluator of the host, if any', async () => {
    const evaluated: unknown[] = [];
    const evaluator = {
      check: (_schema: JsonObject, value: unknown) =>
        Promise.resolve(evaluated.push(value) === 1 ? [] : ['It is odd.']),
    };
    const { client } = await connect([tool], {
      call: answering({ structuredContent: { n: 'x' } }),
      output: { evaluator },
    });
    await client.listTools();
    expect(await client.callTool('a', {})).toMatchObject({ structuredContent: { n: 'x' } });
    await expect(client.callTool('a', {})).rejects.toMatchObject({
      code: 'invalid-response',
      message: expect.stringContaining('It is odd.') as string,
    });
    expect(evaluated).toEqual([{ n: 'x' }, { n: 'x' }]);
  });

  test('is validated again after an unavailable evaluation, which is reported each time', async () => {
    const answers = [
      new EvaluationUnavailableError('No descriptor'),
      new EvaluationUnavailableError('No descriptor'),
      undefined,
    ];
    const evaluator = {
      check: () => {
        const error = answers.shift();
        return error === undefined ? ['It is odd.'] : Promise.reject(error);
      },
    };
    const { client, problems } = await connect([tool], {
      call: answering({ structuredContent: { n: 'x' } }),
      output: { evaluator },
    });
    await client.listTools();
    for (let call = 0; call < 2; call++)
      expect(await client.callTool('a', {})).toMatchObject({ structuredContent: { n: 'x' } });
    await expect(client.callTool('a', {})).rejects.toMatchObject({ code: 'invalid-response' });
    expect(problems).toEqual(
      Array.from(
        { length: 2 },
        () => 'A result of tool a is not checked against its output schema',
      ),
    );
  });

  test('is validated again after the evaluator could not be loaded for lack of descriptors', async () => {
    const failures = [Object.assign(new Error('EMFILE'), { code: 'EMFILE' })];
    const problems: string[] = [];
    const tools = new ListedTools(
      {
        info: { name: 't', version: '0' },
        events: { onProblem: ({ message }) => problems.push(message) },
      },
      () => {
        const failure = failures.shift();
        return failure === undefined ? import('../../schema/index.ts') : Promise.reject(failure);
      },
    );
    tools.update([tool] as never, false);
    const result = { content: [], structuredContent: { n: 'x' } };
    expect(await tools.validateOutput('a', result)).toBe(result);
    await expect(tools.validateOutput('a', result)).rejects.toMatchObject({
      code: 'invalid-response',
    });
    expect(problems).toEqual(['A result of tool a is not checked against its output schema']);
  });

  test('is not validated with a list that has changed, until it is fetched again', async () => {
    const { client, server } = await connect([tool], { call: answering({ structuredContent: 1 }) });
    await client.listTools();
    server.notify('notifications/tools/list_changed', {});
    expect(await client.callTool('a', {})).toMatchObject({ structuredContent: 1 });
    await client.listTools();
    await expect(client.callTool('a', {})).rejects.toMatchObject({ code: 'invalid-response' });
  });

  test('of a failed call, or of a tool that was not listed, is not validated', async () => {
    const { client } = await connect([tool], { call: answering({ isError: true }) });
    await client.listTools();
    expect(await client.callTool('a', {})).toMatchObject({ isError: true });
    const unlisted = await connect([tool], { call: answering({ structuredContent: 1 }) });
    expect(await unlisted.client.callTool('a', {})).toMatchObject({ structuredContent: 1 });
  });

  test.each<[string, JsonObject]>([
    ['refers to the network', { $ref: 'http://127.0.0.1:9/schema.json' }],
    ['is no schema', { type: 'nonsense' }],
    ['is of another dialect', { $schema: 'https://example.com/own' }],
    ['has a regular expression with a fault', { properties: { n: { anyOf: [{ pattern: '(' }] } } }],
    ['refers to itself without end', { allOf: [{ $ref: '#' }] }],
  ])('whose schema %s is returned, and the schema is reported once', async (_name, schema) => {
    const { client, problems } = await connect([{ ...tool, outputSchema: schema }], {
      call: answering({ structuredContent: { n: 1 } }),
    });
    expect(await client.listTools()).toHaveLength(1);
    for (let call = 0; call < 2; call++)
      expect(await client.callTool('a', {})).toMatchObject({ structuredContent: { n: 1 } });
    expect(problems).toEqual([expect.stringContaining('cannot be used')]);
  });
});
