import {
  createServer,
  definePrompt,
  type PromptDefinition,
  type ServerOptions,
} from '@signalbox/mcp-core/server';
import { describe, expect, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { openRawClient, SERVER_SETUPS } from './raw-client.ts';
import { openSchemaHost } from './schema-host.ts';
import { echo, serverOptions, tool } from './test-tools.ts';

const many = Array.from({ length: 250 }, (_none, index) => `value ${index}`);

function greeting(onRun: (args: object) => void = () => undefined): PromptDefinition {
  return definePrompt({
    name: 'greet',
    arguments: [
      {
        name: 'who',
        required: true,
        complete: (value, input) =>
          many
            .filter((each) => each.startsWith(value))
            .map((each) => `${input.arguments.tone ?? ''}${each}`),
      },
      { name: 'tone' },
    ],
    handler: (args) => {
      onRun(args);
      if (args.who === 'nobody') throw new Error('password hunter2');
      return {
        messages: [
          { role: 'user', content: { type: 'text', text: `${args.tone ?? 'Hello'} ${args.who}` } },
          { role: 'assistant', content: { type: 'image', data: 'AP8=', mimeType: 'image/png' } },
          { role: 'user', content: { type: 'audio', data: 'AP8=', mimeType: 'audio/wav' } },
          {
            role: 'user',
            content: {
              type: 'resource',
              resource: { uri: 'note:1', mimeType: 'text/plain', text: 'note' },
            },
          },
        ],
      };
    },
  });
}

describe.each(SERVER_SETUPS)('the prompts of a server, $era over $wire', ({ era, wire }) => {
  const subject = { side: 'server', era, wire } as const;
  const open = (options: Partial<ServerOptions> = { prompts: [greeting()] }) =>
    openRawClient(createServer(serverOptions(options)), { era, wire });

  test(
    'are declared, as completion is',
    proves(subject, 'prompts.declared', 'completion.declared'),
    async () => {
      const capabilities = async (options: Partial<ServerOptions>) => {
        const client = await open(options);
        if (era === 'modern') await client.request('server/discover');
        return client.received.find(({ result }) => result?.capabilities !== undefined)?.result
          ?.capabilities;
      };
      expect(await capabilities({ prompts: [greeting()] })).toMatchObject({
        prompts: { listChanged: true },
        completions: {},
      });
      const bare = await capabilities({ tools: [echo] });
      expect(bare).not.toHaveProperty('prompts');
      expect(bare).not.toHaveProperty('completions');
    },
  );

  test(
    'return messages with media in Base64 and complete resources',
    proves(subject, 'prompts.media', 'prompts.embedded'),
    async () => {
      const client = await open();
      expect(
        (
          await client.request('prompts/get', {
            name: 'greet',
            arguments: { who: 'Ada', tone: 'Hi' },
          })
        ).result?.messages,
      ).toEqual([
        { role: 'user', content: { type: 'text', text: 'Hi Ada' } },
        { role: 'assistant', content: { type: 'image', data: 'AP8=', mimeType: 'image/png' } },
        { role: 'user', content: { type: 'audio', data: 'AP8=', mimeType: 'audio/wav' } },
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri: 'note:1', mimeType: 'text/plain', text: 'note' },
          },
        },
      ]);
    },
  );

  test.for([
    [{ name: 'unknown' }, 'prompts.unknown'],
    [{ name: 'greet' }, 'prompts.missing-argument'],
    [{ name: 'greet', arguments: { tone: 'x' } }, 'prompts.missing-argument'],
    [{ name: 'greet', arguments: { who: 7 } }, 'prompts.arguments-validated'],
    [{ name: 'greet', arguments: ['Ada'] }, 'prompts.arguments-validated'],
  ] as const)(
    'refuse %j, which does not reach them',
    proves(subject, 'prompts.unknown', 'prompts.missing-argument', 'prompts.arguments-validated'),
    async ([params]) => {
      const runs: object[] = [];
      const client = await open({ prompts: [greeting((args) => runs.push(args))] });
      expect(await client.request('prompts/get', params)).toMatchObject({
        error: { code: -32_602 },
      });
      expect(runs).toEqual([]);
    },
  );

  test('fail with -32603 and reveal nothing', proves(subject, 'prompts.internal'), async () => {
    const client = await open();
    const { error } = await client.request('prompts/get', {
      name: 'greet',
      arguments: { who: 'nobody' },
    });
    expect(error).toEqual({
      code: -32_603,
      message: expect.not.stringContaining('hunter2') as string,
    });
  });

  test('announce a change of their list', proves(subject, 'prompts.changed'), async () => {
    const server = createServer(serverOptions({ prompts: [greeting()] }));
    const client = await openRawClient(server, { era, wire });
    if (era === 'modern') {
      client.ask('subscriptions/listen', { notifications: { promptsListChanged: true } });
      await client.find((message) => message.method === 'notifications/subscriptions/acknowledged');
    } else await client.settled();
    server.changes.promptsChanged();
    expect(
      await client.find((message) => message.method === 'notifications/prompts/list_changed'),
    ).toMatchObject({ jsonrpc: '2.0' });
  });

  const who = { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: '' } };

  test(
    'complete with at most 100 values, and return their total number',
    proves(subject, 'completion.limit'),
    async () => {
      const client = await open();
      const completion = async (params: object) =>
        (await client.request('completion/complete', { ...who, ...params })).result?.completion as {
          values: string[];
          total?: number;
          hasMore?: boolean;
        };
      expect(await completion({})).toEqual({
        values: many.slice(0, 100),
        total: 250,
        hasMore: true,
      });
      expect(
        (
          await completion({
            argument: { name: 'who', value: 'value 24' },
            context: { arguments: { tone: 'dear ' } },
          })
        ).values.slice(0, 2),
      ).toEqual(['dear value 24', 'dear value 240']);
      expect(await completion({ argument: { name: 'tone', value: '' } })).toMatchObject({
        values: [],
      });
    },
  );

  test.for([
    [{ ...who, ref: { type: 'ref/prompt', name: 'unknown' } }],
    [{ ...who, ref: { type: 'ref/odd', name: 'greet' } }],
    [{ ref: who.ref }],
    [{ ...who, argument: { name: 'unknown', value: '' } }],
    [{ ...who, argument: { name: 'who' } }],
    [{ ...who, argument: { name: 'who', value: 7 } }],
    [{ ...who, context: { arguments: { tone: 7 } } }],
  ])(
    'refuse to complete %j',
    proves(
      subject,
      'completion.validated',
      'completion.bad-reference',
      'completion.missing-argument',
    ),
    async ([params]) => {
      const client = await open();
      expect(await client.request('completion/complete', params)).toMatchObject({
        error: { code: -32_602 },
      });
    },
  );

  test(
    'without them completion is an unknown method',
    proves(subject, 'completion.unsupported'),
    async () => {
      const client = await open({ tools: [echo] });
      expect(await client.request('completion/complete', who)).toMatchObject({
        error: { code: -32_601 },
      });
    },
  );

  test(
    'are listed page by page',
    proves(subject, 'pages.stable', 'pages.invalid-cursor'),
    async () => {
      const prompts = ['a', 'b', 'c', 'd', 'e'].map((name) =>
        definePrompt({ name, handler: () => ({ messages: [] }) }),
      );
      const client = await open({ prompts, settings: { lists: { pageSize: 2 } } });
      const pages: string[][] = [];
      let cursor: unknown;
      do {
        const { result } = await client.request(
          'prompts/list',
          cursor === undefined ? {} : { cursor },
        );
        pages.push((result?.prompts as { name: string }[]).map(({ name }) => name));
        cursor = result?.nextCursor;
      } while (cursor !== undefined);
      expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
      expect(await client.request('prompts/list', { cursor: 'odd' })).toMatchObject({
        error: { code: -32_602 },
      });
    },
  );

  if (era === 'modern') {
    test(
      'are listed for every connection alike, even when there are none',
      proves(subject, 'prompts.list', 'prompts.list-stable', 'cache.one-scope'),
      async () => {
        const server = createServer(serverOptions({ prompts: [greeting()] }));
        const [one, other] = [
          await openRawClient(server, { era, wire }),
          await openRawClient(server, { era, wire, capabilities: { sampling: {} } }),
        ];
        const first = await one.request('prompts/list');
        await one.request('prompts/get', { name: 'greet', arguments: { who: 'Ada' } });
        for (const again of [
          await one.request('prompts/list'),
          await other.request('prompts/list'),
        ])
          expect(again.result).toEqual(first.result);
        const empty = await open({ prompts: [] });
        expect(await empty.request('prompts/list')).toMatchObject({ result: { prompts: [] } });
      },
    );
  }
});

describe.each(SERVER_SETUPS)('the schemas of a server, $era over $wire', ({ era, wire }) => {
  const subject = { side: 'server', era, wire } as const;
  const open = (inputSchema: object) =>
    openRawClient(
      createServer(
        serverOptions({
          tools: [
            tool('t', () => ({ content: [{ type: 'text', text: 'ran' }] }), {
              inputSchema: { ...inputSchema },
            }),
          ],
        }),
      ),
      { era, wire },
    );
  const isTaken = async (inputSchema: object, args: object) => {
    const client = await open(inputSchema);
    const { result } = await client.request('tools/call', { name: 't', arguments: args });
    return result?.isError !== true;
  };

  test(
    'are 2020-12 unless they declare another dialect',
    proves(subject, 'schema.default-dialect', 'schema.declared-dialect'),
    async () => {
      const tuple = {
        type: 'object',
        properties: {
          pair: { type: 'array', prefixItems: [{ type: 'integer' }], items: { type: 'string' } },
        },
        unevaluatedProperties: false,
      };
      expect([
        await isTaken(tuple, { pair: [1, 'a'] }),
        await isTaken(tuple, { pair: ['a'] }),
        await isTaken(tuple, { other: 1 }),
      ]).toEqual([true, false, false]);
      const draft07 = {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { pair: { type: 'array', items: [{ type: 'integer' }, { type: 'string' }] } },
      };
      expect([
        await isTaken(draft07, { pair: [1, 'a'] }),
        await isTaken(draft07, { pair: ['a', 1] }),
      ]).toEqual([true, false]);
    },
  );

  if (era === 'modern') {
    test('have bounds', proves(subject, 'schema.bounds'), () => {
      const deep = JSON.parse(
        `${'{"type":"object","properties":{"a":'.repeat(200)}{}${'}}'.repeat(200)}`,
      ) as object;
      expect(() =>
        createServer(
          serverOptions({
            tools: [tool('t', () => ({ content: [] }), { inputSchema: { ...deep } })],
          }),
        ),
      ).toThrow(/deeper/);
    });
  }

  if (era === 'modern') {
    test('of another host are not fetched', proves(subject, 'schema.no-fetch'), async () => {
      const host = await openSchemaHost();
      const inputSchema = { type: 'object', properties: { n: { $ref: host.url } } };
      const errors: string[] = [];
      const called = tool('t', () => ({ content: [{ type: 'text', text: 'ran' }] }), {
        inputSchema,
      });
      const server = createServer(
        serverOptions({
          tools: [called],
          events: { onError: (error) => errors.push(String(error)) },
        }),
      );
      const client = await openRawClient(server, { era, wire });
      const answer = await client.request('tools/call', { name: 't', arguments: { n: 1 } });
      expect(JSON.stringify(answer)).not.toContain('ran');
      expect(errors.join(' ') + JSON.stringify(answer)).toContain(host.url);
      expect(await host.visits()).toBe(0);
    });
  }

  const unusable = [
    [
      'an unknown dialect',
      'schema.unknown-dialect',
      { $schema: 'https://example.com/own-dialect', type: 'object' },
      'own-dialect',
    ],
    [
      'a reference to elsewhere',
      'schema.unresolved-ref',
      { type: 'object', properties: { n: { $ref: 'http://127.0.0.1:9/n.json' } } },
      '127.0.0.1:9',
    ],
  ] as const;
  for (const [what, rule, inputSchema, name] of unusable) {
    const isRule = rule === 'schema.unknown-dialect' || era === 'modern';
    const proof = isRule ? proves(subject, rule) : {};
    test(`of ${what} lead to an error, and the tool does not run`, proof, async () => {
      const errors: string[] = [];
      const server = () =>
        createServer(
          serverOptions({
            tools: [
              tool('t', () => ({ content: [{ type: 'text', text: 'ran' }] }), { inputSchema }),
            ],
            events: { onError: (error) => errors.push(String(error)) },
          }),
        );
      const client = await openRawClient(server(), { era, wire });
      const answer = await client.request('tools/call', { name: 't', arguments: { n: 1 } });
      expect(answer.error?.code ?? answer.result?.isError).toBeTruthy();
      expect(JSON.stringify(answer)).not.toContain('ran');
      expect(errors.join(' ') + JSON.stringify(answer)).toContain(name);
    });
  }
});
