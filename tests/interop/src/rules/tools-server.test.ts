import { createServer, type ServerOptions } from '@signalbox/mcp-core/server';
import { ToolError } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { openRawClient, SERVER_SETUPS } from './raw-client.ts';
import { echo, serverOptions, tool } from './test-tools.ts';

const strict = {
  type: 'object',
  properties: { count: { type: 'integer', minimum: 1 } },
  required: ['count'],
  additionalProperties: false,
} as const;

describe.each(SERVER_SETUPS)('the tools of a server, $era over $wire', ({ era, wire }) => {
  const subject = { side: 'server', era, wire } as const;
  const open = (options: Partial<ServerOptions>, version = '2025-11-25') =>
    openRawClient(createServer(serverOptions(options)), { era, wire, version });

  test('an unknown tool is -32602', proves(subject, 'tools.unknown'), async () => {
    const client = await open({ tools: [echo] });
    expect(await client.request('tools/call', { name: 'no-such', arguments: {} })).toMatchObject({
      error: { code: -32_602 },
    });
    // Names are case-sensitive.
    expect(await client.request('tools/call', { name: 'Echo', arguments: {} })).toMatchObject({
      error: { code: -32_602 },
    });
  });

  test.for([
    [{}],
    [{ name: 7 }],
    [{ name: 'echo', arguments: 'text' }],
    [{ name: 'echo', arguments: [1] }],
    [{ name: 'echo', arguments: null }],
  ])('a call with %j is -32602', proves(subject, 'tools.malformed'), async ([params]) => {
    const client = await open({ tools: [echo] });
    expect(await client.request('tools/call', params)).toMatchObject({ error: { code: -32_602 } });
  });

  test(
    'bad arguments are reported to the model',
    proves(subject, 'tools.bad-arguments-told', 'tools.inputs-validated'),
    async () => {
      let calls = 0;
      const client = await open({
        tools: [
          tool('strict', () => ({ structuredContent: { calls: ++calls } }), {
            inputSchema: strict,
          }),
        ],
      });
      for (const args of [{}, { count: 0 }, { count: 'one' }, { count: 1, other: true }]) {
        const answer = await client.request('tools/call', { name: 'strict', arguments: args });
        expect(answer).toMatchObject({
          result: {
            isError: true,
            content: [{ type: 'text', text: expect.stringMatching(/count|other/) as string }],
          },
        });
      }
      expect(
        await client.request('tools/call', { name: 'strict', arguments: { count: 1 } }),
      ).toMatchObject({ result: { content: [{ text: '{"calls":1}' }] } });
    },
  );

  if (era === 'legacy') {
    test.for(['2024-11-05', '2025-03-26', '2025-06-18'])(
      'bad arguments are -32602 in %s',
      proves(subject, 'tools.bad-arguments-refused'),
      async (version) => {
        const client = await open(
          { tools: [tool('strict', () => ({ content: [] }), { inputSchema: strict })] },
          version,
        );
        expect(
          await client.request('tools/call', { name: 'strict', arguments: { count: 'one' } }),
        ).toMatchObject({ error: { code: -32_602 } });
      },
    );
  } else {
    test(
      'the list is in one order for every connection',
      proves(subject, 'tools.list', 'tools.list-stable', 'tools.order'),
      async () => {
        const server = createServer(
          serverOptions({
            tools: ['zulu', 'alpha', 'mike'].map((name) => tool(name, () => ({ content: [] }))),
          }),
        );
        const one = await openRawClient(server, { era, wire });
        const other = await openRawClient(server, {
          era,
          wire,
          capabilities: { sampling: {}, elicitation: {} },
        });
        const first = await one.request('tools/list');
        await one.request('tools/call', { name: 'zulu' });
        const names = (first.result?.tools as { name: string }[]).map(({ name }) => name);
        expect(names.toSorted()).toEqual(['alpha', 'mike', 'zulu']);
        for (const again of [await one.request('tools/list'), await other.request('tools/list')])
          expect(again.result).toEqual(first.result);
        const empty = await open({ tools: [] });
        expect(await empty.request('tools/list')).toMatchObject({ result: { tools: [] } });
      },
    );
  }

  test(
    'a failure is a result with its text, and an unexpected one reveals nothing',
    proves(subject, 'tools.failure'),
    async () => {
      const client = await open({
        tools: [
          tool('refuse', () => {
            throw new ToolError('The river is too high.');
          }),
          tool('break', () => {
            throw new Error('password hunter2');
          }),
        ],
      });
      expect(await client.request('tools/call', { name: 'refuse' })).toMatchObject({
        result: { isError: true, content: [{ type: 'text', text: 'The river is too high.' }] },
      });
      const broken = await client.request('tools/call', { name: 'break' });
      expect(broken).toMatchObject({ result: { isError: true } });
      expect(JSON.stringify(broken)).not.toContain('hunter2');
    },
  );

  test(
    'a result conforms to its schema and has a text, or is an error',
    proves(subject, 'tools.output-conforms', 'tools.output-text'),
    async () => {
      const outputSchema = {
        type: 'object',
        properties: { degrees: { type: 'number' } },
        required: ['degrees'],
      } as const;
      const client = await open({
        tools: [
          tool('right', () => ({ structuredContent: { degrees: 21.5 } }), { outputSchema }),
          tool('wrong', () => ({ structuredContent: { degrees: 'warm' } }), { outputSchema }),
        ],
      });
      const right = await client.request('tools/call', { name: 'right' });
      expect(right).toMatchObject({
        result: {
          structuredContent: { degrees: 21.5 },
          content: [{ type: 'text', text: '{"degrees":21.5}' }],
        },
      });
      const wrong = await client.request('tools/call', { name: 'wrong' });
      expect(wrong).not.toHaveProperty('result.structuredContent');
      expect(wrong.error?.code ?? wrong.result?.isError).toBeTruthy();
    },
  );

  test(
    'every published tool has an object schema',
    proves(subject, 'tools.input-schema'),
    async () => {
      const client = await open({
        tools: [
          echo,
          tool('none', () => ({ content: [] }), {
            inputSchema: { type: 'object', additionalProperties: false },
          }),
        ],
      });
      const { result } = await client.request('tools/list');
      expect(
        (result?.tools as { inputSchema: object }[]).map(({ inputSchema }) => inputSchema),
      ).toEqual([{ type: 'object' }, { type: 'object', additionalProperties: false }]);
      expect(() =>
        createServer(
          serverOptions({
            tools: [tool('bad', () => ({ content: [] }), { inputSchema: { type: 'array' } })],
          }),
        ),
      ).toThrow();
      expect(() =>
        createServer(
          serverOptions({
            tools: [tool('bad', () => ({ content: [] }), { inputSchema: null as never })],
          }),
        ),
      ).toThrow();
    },
  );

  test(
    'names are checked when the server is created',
    proves(subject, 'tools.name-characters', 'tools.name-unique', 'tools.name-case'),
    () => {
      const named =
        (...names: string[]) =>
        () =>
          createServer(
            serverOptions({ tools: names.map((name) => tool(name, () => ({ content: [] }))) }),
          );
      for (const name of ['', 'a b', 'a/b', 'ä', 'a'.repeat(129)]) expect(named(name)).toThrow();
      expect(named('twice', 'twice')).toThrow();
      expect(named('Case', 'case', 'a.b-c_D9', 'a'.repeat(128))).not.toThrow();
    },
  );

  test('a change of the list is announced', proves(subject, 'tools.changed'), async () => {
    const server = createServer(serverOptions({ tools: [echo] }));
    const client = await openRawClient(server, { era, wire });
    if (era === 'modern') {
      client.ask('subscriptions/listen', { notifications: { toolsListChanged: true } });
      await client.find((message) => message.method === 'notifications/subscriptions/acknowledged');
    } else await client.settled();
    server.changes.toolsChanged();
    expect(
      await client.find((message) => message.method === 'notifications/tools/list_changed'),
    ).toMatchObject({ jsonrpc: '2.0' });
  });
});
