import type { JsonObject } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { Key, metaOf, type Message } from './message.ts';
import type { RawHttpServer } from './raw-http-server.ts';
import { CAPABILITIES, CLIENT_SETUPS, connect, initialized, sent } from './raw-server.ts';
import type { Script } from './script.ts';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const times = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };
const form = {
  method: 'elicitation/create',
  params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
};
const content = [{ type: 'text', text: 'done' }];

describe.each(CLIENT_SETUPS.filter(({ era }) => era === 'modern'))(
  'the tasks of a client, $era over $wire',
  ({ era, wire }) => {
    const place = { era, wire };
    const subject = { side: 'client', era, wire } as const;
    const any = { ...subject, wire: 'any' } as const;
    const task = (status: string, rest: JsonObject = {}) => ({
      taskId: 't-1',
      status,
      ttlMs: 60_000,
      pollIntervalMs: 5,
      ...times,
      ...rest,
    });
    const created =
      (rest: JsonObject = {}) =>
      () => ({ result: { resultType: 'task', ...task('working', rest) } });
    const states = (...list: JsonObject[]) => {
      let next = 0;
      return () => ({
        result: { resultType: 'complete', ...list[Math.min(next++, list.length - 1)] },
      });
    };

    test(
      'a call may return a result or a task, which is polled to its end',
      proves(any, 'task.either', 'task.poll-to-end', 'extension.id', 'extension.one-sided'),
      async () => {
        const { client, server } = await connect(place, {
          'tools/call': created(),
          'tasks/get': states(
            task('working'),
            task('working'),
            task('completed', { result: { content } }),
          ),
        });
        expect(await client.callTool('t', {})).toMatchObject({ content });
        expect(sent(server, 'tasks/get').map(({ params }) => params?.taskId)).toEqual([
          't-1',
          't-1',
          't-1',
        ]);
        expect(
          (
            metaOf(sent(server, 'tools/call')[0]?.params)[Key.clientCapabilities] as {
              extensions: object;
            }
          ).extensions,
        ).toEqual({ [EXTENSION]: {} });
        const plain = await connect(place, {
          'tools/call': () => ({ result: { resultType: 'complete', content } }),
        });
        expect(await plain.client.callTool('t', {})).toMatchObject({ content });
      },
    );

    test(
      'a task is not a response to any other request',
      proves(any, 'task.elsewhere'),
      async () => {
        const { client } = await connect(place, {
          'resources/read': created(),
          'prompts/get': created(),
          'tools/list': created(),
        });
        for (const call of [
          () => client.readResource('x:y'),
          () => client.getPrompt('p'),
          () => client.listTools(),
        ])
          await expect(call()).rejects.toMatchObject({ code: 'invalid-response' });
      },
    );

    test('pollIntervalMs is observed', proves(any, 'task.poll-interval'), async () => {
      const asked: number[] = [];
      const answer = states(
        task('working', { pollIntervalMs: 200 }),
        task('completed', { result: { content } }),
      );
      const { client } = await connect(place, {
        'tools/call': created({ pollIntervalMs: 200 }),
        'tasks/get': () => {
          asked.push(performance.now());
          return answer();
        },
      });
      await client.callTool('t', {});
      expect(asked[1]! - asked[0]!).toBeGreaterThanOrEqual(190);
    });

    test(
      'input requests are handled once, with tasks/update',
      proves(any, 'task.asked-once'),
      async () => {
        let asked = 0;
        let isAnswered = false;
        const { client, server } = await connect(
          place,
          {
            'tools/call': created(),
            'tasks/get': () => ({
              result: {
                resultType: 'complete',
                ...(isAnswered
                  ? task('completed', { result: { content } })
                  : task('input_required', { inputRequests: { q: form } })),
              },
            }),
            'tasks/update': () => {
              setTimeout(() => {
                isAnswered = true;
              }, 30);
              return { result: { resultType: 'complete' } };
            },
          },
          {
            handlers: {
              elicit: () => {
                asked += 1;
                return Promise.resolve({ action: 'decline' });
              },
            },
          },
        );
        expect(await client.callTool('t', {})).toMatchObject({ content });
        expect(asked).toBe(1);
        expect(
          sent(server, 'tasks/update').map(({ params }) => [
            params?.taskId,
            params?.inputResponses,
          ]),
        ).toEqual([['t-1', { q: { action: 'decline' } }]]);
      },
    );

    test(
      'a task is cancelled with tasks/cancel alone',
      proves(any, 'task.no-cancelled'),
      async () => {
        const { client, server } = await connect(place, {
          'tools/call': created(),
          'tasks/get': states(task('working')),
          'tasks/cancel': () => ({ result: { resultType: 'complete' } }),
        });
        const stop = new AbortController();
        const call = client.callTool('t', {}, { signal: stop.signal });
        const { id } = await server.inbox.find(({ method }) => method === 'tools/call');
        await server.inbox.find(({ method }) => method === 'tasks/get');
        stop.abort();
        await expect(call).rejects.toMatchObject({ code: 'request-cancelled' });
        expect(
          (await server.inbox.find(({ method }) => method === 'tasks/cancel')).params,
        ).toMatchObject({ taskId: 't-1' });
        expect(
          sent(server, 'notifications/cancelled').filter(({ params }) => params?.requestId === id),
        ).toEqual([]);
      },
    );

    if (wire === 'http') {
      test(
        'the requests about a task name it in a header',
        proves(subject, 'task.name-header'),
        async () => {
          const { client, server } = await connect(
            place,
            {
              'tools/call': created(),
              'tasks/get': states(
                task('input_required', { inputRequests: { q: form } }),
                task('completed', { result: { content } }),
              ),
              'tasks/update': () => ({ result: { resultType: 'complete' } }),
              'tasks/cancel': () => ({ result: { resultType: 'complete' } }),
            },
            { handlers: { elicit: () => Promise.resolve({ action: 'decline' }) } },
          );
          await client.callTool('t', {});
          await client.tasks.cancel('t-1');
          const named = (server as RawHttpServer).arrivals.filter(
            ({ message }) => message?.method?.startsWith('tasks/') === true,
          );
          expect(new Set(named.map(({ message }) => message?.method))).toEqual(
            new Set(['tasks/get', 'tasks/update', 'tasks/cancel']),
          );
          for (const { headers } of named) expect(headers['mcp-name']).toBe('t-1');
        },
      );
    }
  },
);

describe.each(CLIENT_SETUPS.filter(({ era }) => era === 'legacy'))(
  'the tasks of a client, $era over $wire',
  ({ era, wire }) => {
    const place = { era, wire };
    const subject = { side: 'client', era, wire } as const;
    const any = { ...subject, wire: 'any' } as const;
    const task = (status: string, rest: JsonObject = {}) => ({
      taskId: 't-1',
      status,
      ttl: 60_000,
      pollInterval: 5,
      ...times,
      ...rest,
    });
    const tools = ['forbidden', 'optional', 'required'].map((taskSupport) => ({
      name: taskSupport,
      inputSchema: { type: 'object' },
      execution: { taskSupport },
    }));
    const script = (rest: Script): Script => ({
      initialize: initialized('2025-11-25', {
        ...CAPABILITIES,
        tasks: { cancel: {}, requests: { tools: { call: {} } } },
      }),
      'tools/list': () => ({
        result: { tools: [...tools, { name: 'silent', inputSchema: { type: 'object' } }] },
      }),
      'tools/call': ({ params }: Message) => ({
        result: params?.task === undefined ? { content } : { task: task('working') },
      }),
      ...rest,
    });

    test(
      'a tool is called as it declares',
      proves(any, 'core-task.forbidden', 'core-task.required-client', 'core-task.no-reliance'),
      async () => {
        let polls = 0;
        const { client, server } = await connect(
          place,
          script({
            'tasks/get': () => ({ result: task(++polls < 3 ? 'working' : 'completed') }),
            'tasks/result': () => ({ result: { content } }),
          }),
        );
        await client.listTools();
        for (const name of ['forbidden', 'silent', 'required'])
          expect(
            await client.callTool(name, {}, name === 'required' ? {} : { task: { request: {} } }),
          ).toMatchObject({ content });
        expect(
          sent(server, 'tools/call').map(({ params }) => [
            params?.name,
            params?.task !== undefined,
          ]),
        ).toEqual([
          ['forbidden', false],
          ['silent', false],
          ['required', true],
        ]);
      },
    );

    test(
      'pollInterval is observed, and input is requested by tasks/result',
      proves(any, 'core-task.poll-interval', 'core-task.input-required'),
      async () => {
        const asked: number[] = [];
        const { client, server } = await connect(
          place,
          script({
            'tasks/get': () => {
              asked.push(performance.now());
              return {
                result: task(asked.length === 1 ? 'working' : 'input_required', {
                  pollInterval: 200,
                }),
              };
            },
            'tasks/result': async (request, raw) => {
              await expect.poll(() => asked.length).toBe(2);
              raw.send(
                {
                  jsonrpc: '2.0',
                  id: 'inputRequest',
                  ...form,
                  params: {
                    ...form.params,
                    _meta: { 'io.modelcontextprotocol/related-task': { taskId: 't-1' } },
                  },
                },
                request.id,
              );
              await raw.inbox.find(({ id }) => id === 'inputRequest');
              return { result: { content } };
            },
          }),
          { handlers: { elicit: () => Promise.resolve({ action: 'decline' }) } },
        );
        await client.listTools();
        expect(await client.callTool('required', {})).toMatchObject({ content });
        expect(asked[1]! - asked[0]!).toBeGreaterThanOrEqual(190);
        expect(await server.inbox.find(({ id }) => id === 'inputRequest')).toMatchObject({
          result: { action: 'decline' },
        });
      },
    );

    test(
      'a task is cancelled with tasks/cancel alone',
      proves(subject, 'cancel.task'),
      async () => {
        const { client, server } = await connect(
          place,
          script({
            'tasks/get': () => ({ result: task('working') }),
            'tasks/result': () => undefined,
            'tasks/cancel': () => ({ result: task('cancelled') }),
          }),
        );
        await client.listTools();
        const stop = new AbortController();
        const call = client.callTool('required', {}, { signal: stop.signal });
        const { id } = await server.inbox.find(({ method }) => method === 'tools/call');
        await server.inbox.find(
          ({ method }) => method === 'tasks/get' || method === 'tasks/result',
        );
        stop.abort();
        await expect(call).rejects.toMatchObject({ code: 'request-cancelled' });
        expect(
          (await server.inbox.find(({ method }) => method === 'tasks/cancel')).params,
        ).toMatchObject({ taskId: 't-1' });
        expect(
          sent(server, 'notifications/cancelled').filter(({ params }) => params?.requestId === id),
        ).toEqual([]);
      },
    );
  },
);
