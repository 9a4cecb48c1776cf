import { ProtocolError, ToolError, type JsonObject } from '@signalbox/mcp-core';
import {
  createServer,
  type InteractiveContext,
  type ServerOptions,
  type ToolOutput,
} from '@signalbox/mcp-core/server';
import { describe, expect, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { openHttp } from './http-wire.ts';
import { CLIENT_INFO, Key, modernMeta, type Message } from './message.ts';
import { openRawClient, RawClient, SERVER_SETUPS } from './raw-client.ts';
import { echo, holdingTool, serverOptions, tool } from './test-tools.ts';

type Run = (context: InteractiveContext) => Promise<ToolOutput> | ToolOutput;

const EXTENSION = 'io.modelcontextprotocol/tasks';
const RELATED = 'io.modelcontextprotocol/related-task';
const form = {
  message: 'Name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
} as const;
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/) as string;
const done: ToolOutput = { content: [{ type: 'text', text: 'done' }] };
const open = new Set(['working', 'input_required']);

/** Returns a tool that becomes a task. */
const later = (run: Run, task: 'optional' | 'required' = 'optional') =>
  tool(
    'later',
    async (_args, context) => {
      await context.startTask();
      return run(context);
    },
    { task },
  );

/** Polls the task until it has left this status. */
async function poll(
  client: RawClient,
  taskId: unknown,
  from: ReadonlySet<unknown> = open,
): Promise<JsonObject> {
  let task: JsonObject = {};
  await expect
    .poll(
      async () => {
        task = (await client.request('tasks/get', { taskId })).result ?? {};
        return from.has(task.status);
      },
      { interval: 5 },
    )
    .toBe(false);
  return task;
}

describe.each(SERVER_SETUPS.filter(({ era }) => era === 'legacy'))(
  'the tasks of a server, $era over $wire',
  ({ era, wire }) => {
    const subject = { side: 'server', era, wire } as const;
    const serve = (
      run: Run,
      task?: 'optional' | 'required',
      options: Partial<ServerOptions> = {},
    ) =>
      openRawClient(createServer(serverOptions({ tools: [later(run, task), echo], ...options })), {
        era,
        wire,
        capabilities: { elicitation: {} },
      });
    const start = async (client: RawClient, meta: JsonObject = {}) =>
      (await client.request('tools/call', { name: 'later', task: { ttl: 60_000 }, _meta: meta }))
        .result?.task as JsonObject;

    test(
      'are declared, and created immediately in the state working',
      proves(
        subject,
        'core-task.declared',
        'core-task.created',
        'core-task.ids',
        'core-task.times',
        'core-task.no-list',
      ),
      async () => {
        const holding = holdingTool('later');
        const client = await openRawClient(
          createServer(serverOptions({ tools: [{ ...holding.tool, task: 'optional' }] })),
          { era, wire },
        );
        const { capabilities } = client.received[0]?.result as {
          capabilities: { tasks?: JsonObject };
        };
        expect(capabilities.tasks).toMatchObject({ requests: { tools: { call: {} } } });
        expect(capabilities.tasks).not.toHaveProperty('list');
        const [one, other] = [await start(client), await start(client)];
        for (const task of [one, other])
          expect(task).toMatchObject({
            taskId: expect.stringMatching(/^.{22,}$/) as string,
            status: 'working',
            createdAt: iso,
            lastUpdatedAt: iso,
            ttl: expect.any(Number) as number,
          });
        expect(one.taskId).not.toBe(other.taskId);
        expect((await client.request('tasks/get', { taskId: one.taskId })).result).toMatchObject({
          taskId: one.taskId,
          status: 'working',
          createdAt: iso,
          lastUpdatedAt: iso,
          ttl: expect.any(Number) as number,
        });
        holding.finish();
      },
    );

    test(
      'return the result of the call when it is available',
      proves(
        subject,
        'core-task.result-waits',
        'core-task.result-same',
        'core-task.related',
        'core-task.final',
      ),
      async () => {
        const gate = Promise.withResolvers<void>();
        const client = await serve(async () => {
          await gate.promise;
          return done;
        });
        const { taskId } = await start(client);
        const waiting = client.ask('tasks/result', { taskId });
        await client.settled();
        expect(client.received.some(({ id }) => id === waiting)).toBe(false);
        gate.resolve();
        expect((await client.answer(waiting)).result).toMatchObject({
          ...done,
          _meta: { [RELATED]: { taskId } },
        });
        expect(await poll(client, taskId)).toMatchObject({ status: 'completed' });
        await client.request('tasks/cancel', { taskId });
        expect(await poll(client, taskId)).toMatchObject({ status: 'completed' });
      },
    );

    test(
      'that end with an error or isError are failed, and return exactly that',
      proves(subject, 'core-task.failed', 'core-task.result-same'),
      async () => {
        const refused = await serve(() => {
          throw new ProtocolError(-32_000, 'No power', { data: 7 });
        });
        const one = await start(refused);
        expect(await poll(refused, one.taskId)).toMatchObject({ status: 'failed' });
        expect((await refused.request('tasks/result', { taskId: one.taskId })).error).toEqual({
          code: -32_000,
          message: 'No power',
          data: 7,
        });
        const told = await serve(() => {
          throw new ToolError('No disk');
        });
        const other = await start(told);
        expect(await poll(told, other.taskId)).toMatchObject({ status: 'failed' });
        expect((await told.request('tasks/result', { taskId: other.taskId })).result).toMatchObject(
          { isError: true, content: [{ text: 'No disk' }] },
        );
      },
    );

    test(
      'are refused or ignored as the tool declares',
      proves(subject, 'core-task.required-server', 'core-task.undeclared'),
      async () => {
        const client = await serve(() => done, 'required');
        expect(await client.request('tools/call', { name: 'later' })).toMatchObject({
          error: { code: -32_601 },
        });
        const plain = await openRawClient(createServer(serverOptions({ tools: [echo] })), {
          era,
          wire,
        });
        expect(
          (
            await plain.request('tools/call', {
              name: 'echo',
              arguments: { text: 'now' },
              task: { ttl: 5 },
            })
          ).result,
        ).toMatchObject({ content: [{ text: 'now' }] });
      },
    );

    test(
      'send input requests with related-task, and continue with the response',
      proves(subject, 'core-task.related'),
      async () => {
        const client = await serve(async (context) => ({
          structuredContent: { action: (await context.elicit('q', form)).action },
        }));
        const { taskId } = await start(client);
        expect(await poll(client, taskId, new Set(['working']))).toMatchObject({
          status: 'input_required',
        });
        const result = client.ask('tasks/result', { taskId });
        const inputRequest = await client.find(({ method }) => method === 'elicitation/create');
        expect(inputRequest.params).toMatchObject({
          message: 'Name?',
          _meta: { [RELATED]: { taskId } },
        });
        client.send({ jsonrpc: '2.0', id: inputRequest.id, result: { action: 'decline' } });
        expect((await client.answer(result)).result).toMatchObject({
          structuredContent: { action: 'decline' },
        });
      },
    );

    test(
      'are cancelled before the response, and once',
      proves(
        subject,
        'core-task.cancel',
        'core-task.cancel-final',
        'core-task.unknown',
        'core-task.final',
      ),
      async () => {
        const gate = Promise.withResolvers<void>();
        const client = await serve(async () => {
          await gate.promise;
          return done;
        });
        const { taskId } = await start(client);
        expect((await client.request('tasks/cancel', { taskId })).result).toMatchObject({
          taskId,
          status: 'cancelled',
        });
        gate.resolve();
        await client.settled();
        expect((await client.request('tasks/get', { taskId })).result).toMatchObject({
          status: 'cancelled',
        });
        expect(await client.request('tasks/cancel', { taskId })).toMatchObject({
          error: { code: -32_602 },
        });
        for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
          expect(await client.request(method, { taskId: 'unknown' })).toMatchObject({
            error: { code: -32_602 },
          });
      },
    );

    test(
      'keep the progress token of the call',
      proves(subject, 'core-task.progress', 'core-task.related'),
      async () => {
        const gate = Promise.withResolvers<void>();
        const client = await serve(async (context) => {
          await gate.promise;
          context.progress({ progress: 5 });
          return done;
        });
        const { taskId } = await start(client, { progressToken: 'p' });
        await client.settled();
        gate.resolve();
        const { params } = await client.find(({ method }) => method === 'notifications/progress');
        expect(params).toMatchObject({
          progressToken: 'p',
          progress: 5,
          _meta: { [RELATED]: { taskId } },
        });
      },
    );
  },
);

describe.each(SERVER_SETUPS.filter(({ era }) => era === 'modern'))(
  'the tasks of a server, $era over $wire',
  ({ era, wire }) => {
    const subject = { side: 'server', era, wire } as const;
    const capable = { elicitation: {}, extensions: { [EXTENSION]: {} } };
    const serve = (run: Run, task?: 'optional' | 'required') =>
      openRawClient(createServer(serverOptions({ tools: [later(run, task)] })), {
        era,
        wire,
        capabilities: capable,
      });
    const start = async (client: RawClient, rest: JsonObject = {}) =>
      (await client.request('tools/call', { name: 'later', ...rest })).result!;
    const bare = { _meta: modernMeta() };

    test(
      'are created, found immediately, and inline their result',
      proves(subject, 'task.result-type', 'task.created-first', 'task.inline', 'task.ids'),
      async () => {
        const gate = Promise.withResolvers<void>();
        const client = await serve(async () => {
          await gate.promise;
          return done;
        });
        const { _meta: _stamp, ...created } = await start(client);
        expect(created).toMatchObject({
          resultType: 'task',
          taskId: expect.stringMatching(/^.{22,}$/) as string,
          status: 'working',
          createdAt: iso,
          lastUpdatedAt: iso,
        });
        expect(
          (await client.request('tasks/get', { taskId: created.taskId })).result,
        ).toMatchObject({ resultType: 'complete', taskId: created.taskId, status: 'working' });
        gate.resolve();
        expect(await poll(client, created.taskId)).toMatchObject({
          resultType: 'complete',
          status: 'completed',
          result: done,
        });
      },
    );

    test(
      'are for requests that declare the extension',
      proves(
        subject,
        'task.undeclared',
        'task.needed',
        'task.methods-undeclared',
        'task.listen-undeclared',
        'extension.one-sided',
        'extension.id',
      ),
      async () => {
        const client = await serve(() => done);
        const { taskId } = await start(client);
        expect((await start(client, bare)).resultType).toBe('complete');
        const missing = {
          error: {
            code: -32_021,
            data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } },
          },
        };
        for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
          expect(
            await client.request(method, { taskId, inputResponses: {}, ...bare }),
          ).toMatchObject(missing);
        expect(
          await client.request('subscriptions/listen', {
            notifications: { taskIds: [taskId] },
            ...bare,
          }),
        ).toMatchObject(missing);
        const strict = await serve(() => done, 'required');
        expect(await strict.request('tools/call', { name: 'later', ...bare })).toMatchObject(
          missing,
        );
        const { result } = await client.request('server/discover');
        expect(Object.keys((result?.capabilities as { extensions: object }).extensions)).toEqual([
          EXTENSION,
        ]);
      },
    );

    test('are failed only by errors', proves(subject, 'task.failed', 'task.inline'), async () => {
      const refused = await serve(() => {
        throw new ProtocolError(-32_603, 'No power');
      });
      expect(await poll(refused, (await start(refused)).taskId)).toMatchObject({
        status: 'failed',
        error: { code: -32_603, message: 'No power' },
      });
      const told = await serve(() => {
        throw new ToolError('No disk');
      });
      expect(await poll(told, (await start(told)).taskId)).toMatchObject({
        status: 'completed',
        result: { isError: true, content: [{ text: 'No disk' }] },
      });
    });

    test(
      'inline their input requests, each with its own key, and accept the responses one by one',
      proves(subject, 'task.inline', 'task.keys', 'task.acknowledged', 'task.partial-answers'),
      async () => {
        const client = await serve(async (context) => {
          const [a, b] = await Promise.all([context.elicit('a', form), context.elicit('b', form)]);
          const c = await context.elicit('c', form);
          return { structuredContent: { actions: [a.action, b.action, c.action] } };
        });
        const { taskId } = await start(client);
        const keys = (task: JsonObject) => Object.keys(task.inputRequests as object);
        const first = await poll(client, taskId, new Set(['working']));
        expect(first).toMatchObject({
          status: 'input_required',
          inputRequests: {
            a: { method: 'elicitation/create' },
            b: { method: 'elicitation/create' },
          },
        });
        const update = (inputResponses: JsonObject) =>
          client.request('tasks/update', { taskId, inputResponses });
        const { _meta: _stamp, ...acknowledged } = (
          await update({ a: { action: 'decline' }, unknown: { action: 'accept' } })
        ).result!;
        expect(acknowledged).toEqual({ resultType: 'complete' });
        await expect
          .poll(async () => keys((await client.request('tasks/get', { taskId })).result!))
          .toEqual(['b']);
        await update({ a: { action: 'cancel' }, b: { action: 'cancel' } });
        await expect
          .poll(async () =>
            (await client.request('tasks/get', { taskId })).result?.inputRequests === undefined
              ? []
              : keys((await client.request('tasks/get', { taskId })).result!),
          )
          .toEqual(['c']);
        await update({ c: { action: 'decline' } });
        expect(await poll(client, taskId)).toMatchObject({
          status: 'completed',
          result: { structuredContent: { actions: ['decline', 'cancel', 'decline'] } },
        });
      },
    );

    test(
      'are cancelled with an acknowledgment',
      proves(subject, 'task.acknowledged', 'task.unknown', 'task.result-type'),
      async () => {
        const client = await serve(
          (context) =>
            new Promise((_resolve, reject) => {
              context.signal.addEventListener('abort', () => {
                reject(new Error('stopped'));
              });
            }),
        );
        const { taskId } = await start(client);
        const { _meta: _stamp, ...acknowledged } = (
          await client.request('tasks/cancel', { taskId })
        ).result!;
        expect(acknowledged).toEqual({ resultType: 'complete' });
        expect(await poll(client, taskId)).toMatchObject({ status: 'cancelled' });
        expect((await client.request('tasks/cancel', { taskId })).result).toMatchObject({
          resultType: 'complete',
        });
        for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
          expect(
            await client.request(method, { taskId: 'unknown', inputResponses: {} }),
          ).toMatchObject({ error: { code: -32_602 } });
      },
    );

    test(
      'have no legacy methods, and ignore a task parameter',
      proves(subject, 'task.no-legacy-methods'),
      async () => {
        const client = await serve(() => done);
        for (const method of ['tasks/result', 'tasks/list'])
          expect(await client.request(method, { taskId: 'x' })).toMatchObject({
            error: { code: -32_601 },
          });
        expect((await start(client, { task: { ttl: 5 }, ...bare })).resultType).toBe('complete');
      },
    );

    test(
      'are sent completely on a listen stream, without progress and log',
      proves(subject, 'task.no-progress'),
      async () => {
        const gate = Promise.withResolvers<void>();
        const client = await serve(async (context) => {
          await gate.promise;
          context.progress({ progress: 1 });
          context.log('error', 'loud');
          return done;
        });
        const { taskId } = await start(client, {
          _meta: { progressToken: 'p', [Key.logLevel]: 'debug' },
        });
        client.ask('subscriptions/listen', { notifications: { taskIds: [taskId] } }, 'stream');
        await client.find(({ method }) => method === 'notifications/subscriptions/acknowledged');
        gate.resolve();
        const { params } = await client.find(
          (message) =>
            message.method === 'notifications/tasks' && message.params?.status === 'completed',
        );
        expect(params).toMatchObject({
          taskId,
          result: done,
          _meta: { [Key.subscriptionId]: 'stream' },
        });
        await client.settled();
        expect(
          client.received.filter(
            ({ method }) =>
              method === 'notifications/progress' || method === 'notifications/message',
          ),
        ).toEqual([]);
      },
    );
  },
);

test.for([
  ['legacy', ['tasks/get', 'tasks/result', 'tasks/cancel']],
  ['modern', ['tasks/get', 'tasks/update', 'tasks/cancel']],
] as const)(
  'a task, %s, is there for its principal alone',
  {
    meta: {
      proofs: [
        ...proves({ side: 'server', era: 'legacy', wire: 'http' }, 'core-task.principal').meta!
          .proofs!,
        ...proves(
          { side: 'server', era: 'modern', wire: 'http' },
          'task.principal',
          'mrtr.state-principal',
        ).meta!.proofs!,
      ],
    },
  },
  async ([era, methods]) => {
    const ask = tool('ask', async (_args, context) => ({
      structuredContent: { action: (await context.elicit('q', form)).action },
    }));
    const server = createServer(serverOptions({ tools: [later(() => done), ask] }));
    const as = async (principal: string): Promise<RawClient> => {
      const wire = await openHttp(server, {
        access: { authenticate: () => ({ auth: { principal } }) },
      });
      const client = new RawClient(wire, {
        era,
        wire: 'http',
        capabilities: { elicitation: {}, extensions: { [EXTENSION]: {} } },
      });
      if (era === 'legacy') {
        await client.request('initialize', {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: CLIENT_INFO,
        });
        client.notify('notifications/initialized');
      }
      return client;
    };
    const [ada, bob] = [await as('ada'), await as('bob')];
    const { result } = await ada.request('tools/call', {
      name: 'later',
      ...(era === 'legacy' ? { task: {} } : {}),
    });
    const { taskId } = (era === 'legacy' ? result?.task : result) as JsonObject;
    for (const method of methods)
      expect(await bob.request(method, { taskId, inputResponses: {} })).toMatchObject({
        error: { code: -32_602 },
      });
    expect((await ada.request('tasks/get', { taskId })).result).toMatchObject({ taskId });
    if (era === 'modern') {
      const asked: Message = await ada.request('tools/call', { name: 'ask' });
      const retry = {
        name: 'ask',
        requestState: asked.result?.requestState,
        inputResponses: { q: { action: 'decline' } },
      };
      expect(await bob.request('tools/call', retry)).toMatchObject({ error: { code: -32_602 } });
      expect(await ada.request('tools/call', retry)).toMatchObject({
        result: { structuredContent: { action: 'decline' } },
      });
    }
    await ada.close();
    await bob.close();
  },
);
