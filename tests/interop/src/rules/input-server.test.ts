import { ErrorCode, type JsonObject, ProtocolError } from '@signalbox/mcp-core';
import {
  createServer,
  type InteractiveContext,
  type ServerOptions,
} from '@signalbox/mcp-core/server';
import { describe, expect, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { type Message, modernMeta } from './message.ts';
import { openRawClient, SERVER_SETUPS, type RawClient } from './raw-client.ts';
import { serverOptions, tool } from './test-tools.ts';

const requestedSchema = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 2 } },
  required: ['name'],
} as const;
const form = (message: string) => ({ message, requestedSchema }) as const;
const everything = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

describe.each(SERVER_SETUPS)('the input requests of a server, $era over $wire', ({ era, wire }) => {
  const subject = { side: 'server', era, wire } as const;

  /** Returns the params of a tool's input request. */
  async function inputRequestOf(
    ask: (context: InteractiveContext) => Promise<unknown>,
    capabilities: JsonObject = everything,
  ): Promise<{ method?: unknown; params?: JsonObject } | undefined> {
    const server = createServer(
      serverOptions({
        tools: [
          tool('ask', async (_args, context) => ({
            structuredContent: { answer: await ask(context) },
          })),
        ],
      }),
    );
    const client = await openRawClient(server, { era, wire, capabilities });
    const id = client.ask('tools/call', { name: 'ask' });
    const message = await client.find(
      (each) => each.id === id || (each.method !== undefined && each.id !== undefined),
    );
    if (era === 'legacy') {
      if (message.method === undefined) return undefined;
      client.send({ jsonrpc: '2.0', id: message.id, error: { code: -1, message: 'Refused' } });
      await client.answer(id);
      return message;
    }
    const [inputRequest] = Object.values(
      (message.result?.inputRequests ?? {}) as {
        [key: string]: { method: string; params: JsonObject };
      },
    );
    return inputRequest;
  }

  test('a form has a message and a flat schema', proves(subject, 'elicitation.form'), async () => {
    const inputRequest = await inputRequestOf((context) => context.elicit('q', form('Name?')));
    expect(inputRequest).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Name?', requestedSchema },
    });
    expect([undefined, 'form']).toContain(inputRequest?.params?.mode);
  });

  test('an elicitation with a URL has url mode', proves(subject, 'elicitation.url'), async () => {
    const inputRequest = await inputRequestOf((context) =>
      context.elicit('q', { mode: 'url', message: 'Sign in', url: 'https://example.com/in' }),
    );
    expect(inputRequest).toMatchObject({
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Sign in', url: 'https://example.com/in' },
    });
    if (era === 'legacy') expect(inputRequest?.params?.elicitationId).toEqual(expect.any(String));
    else expect(inputRequest?.params).not.toHaveProperty('elicitationId');
    expect(URL.canParse(String(inputRequest?.params?.url))).toBe(true);
  });

  test(
    'the completion of an elicitation has its id',
    era === 'legacy' ? proves(subject, 'elicitation.complete-id') : {},
    async () => {
      const page = { mode: 'url', message: 'Sign in', url: 'https://example.com/in' } as const;
      const ask = tool('ask', async (_args, { elicit }) => {
        await elicit('page', { ...page, elicitationId: 'id-1' });
        return 'asked';
      });
      const server = createServer(serverOptions({ tools: [ask] }));
      const client = await openRawClient(server, { era, wire, capabilities: everything });
      const id = client.ask('tools/call', { name: 'ask' });
      const isAsked = ({ method, result }: Message): boolean =>
        method === 'elicitation/create' || result?.inputRequests !== undefined;
      const { id: askedId } = await client.find(isAsked);
      expect(server.completeElicitation('id-2')).toBe(false);
      expect(server.completeElicitation('id-1')).toBe(era === 'legacy');
      if (era === 'legacy') {
        client.send({ jsonrpc: '2.0', id: askedId, result: { action: 'accept' } });
        await client.answer(id);
      } else await client.settled();
      const completions = client.received.filter(
        ({ method }) => method === 'notifications/elicitation/complete',
      );
      expect(completions.map(({ params }) => params)).toEqual(
        era === 'legacy' ? [{ elicitationId: 'id-1' }] : [],
      );
    },
  );

  test(
    'an error that asks for URLs first lists them with ids',
    era === 'legacy' ? proves(subject, 'elicitation.required-error') : {},
    async () => {
      const page = { mode: 'url', message: 'Sign in', url: 'https://example.com/in' };
      const refusing = (name: string, data: JsonObject) =>
        tool(name, () => {
          throw new ProtocolError(ErrorCode.urlElicitationRequired, 'Sign in first', { data });
        });
      const tools = [
        refusing('with-url', { elicitations: [page] }),
        refusing('with-form', { elicitations: [{ mode: 'form', ...form('Name?') }] }),
        refusing('with-nothing', {}),
      ];
      const server = createServer(serverOptions({ tools }));
      const client = await openRawClient(server, { era, wire, capabilities: everything });
      const answers = await Promise.all(
        tools.map(({ name }) => client.request('tools/call', { name })),
      );
      const asResult = { result: { isError: true, content: [{ text: 'Sign in first' }] } };
      const elicitations = [{ ...page, elicitationId: expect.any(String) as string }];
      const asError = { error: { code: -32042, data: { elicitations } } };
      expect(answers).toMatchObject([era === 'legacy' ? asError : asResult, asResult, asResult]);
    },
  );

  const undeclared = [
    [
      'a form',
      'elicitation.mode-undeclared',
      { elicitation: { url: {} } },
      (context: InteractiveContext) => context.elicit('q', form('m')),
    ],
    [
      'a URL',
      'elicitation.mode-undeclared',
      { elicitation: {} },
      (context: InteractiveContext) =>
        context.elicit('q', { mode: 'url', message: 'm', url: 'https://example.com' }),
    ],
    [
      'tools',
      'sampling.tools-undeclared',
      { sampling: {} },
      (context: InteractiveContext) =>
        context.sample('q', {
          messages: [],
          maxTokens: 1,
          tools: [{ name: 't', inputSchema: { type: 'object' } }],
        }),
    ],
    [
      'roots',
      'roots.checked',
      { sampling: {} },
      (context: InteractiveContext) => context.listRoots(),
    ],
  ] as const;
  for (const [what, rule, capabilities, ask] of undeclared) {
    test(
      `${what} that the client does not declare is not asked`,
      proves(subject, rule),
      async () => {
        expect(await inputRequestOf(ask, capabilities)).toBeUndefined();
      },
    );
  }

  test('{} declares forms', proves(subject, 'elicitation.mode-undeclared'), async () => {
    expect(
      await inputRequestOf((context) => context.elicit('q', form('m')), { elicitation: {} }),
    ).toMatchObject({ method: 'elicitation/create' });
  });

  test(
    'sampling messages have a role and content',
    era === 'modern' ? proves(subject, 'sampling.content') : {},
    async () => {
      const inputRequest = await inputRequestOf((context) =>
        context.sample('q', {
          messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
          maxTokens: 5,
        }),
      );
      expect(inputRequest).toMatchObject({
        method: 'sampling/createMessage',
        params: {
          messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
          maxTokens: 5,
        },
      });
    },
  );

  const use = {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'u1', name: 't', input: {} }],
  } as const;
  const outcome = { type: 'tool_result', toolUseId: 'u1', content: [] } as const;
  const unbalanced = [
    [
      'missing',
      'sampling.tool-results-match',
      [use, { role: 'user', content: { type: 'text', text: 'and?' } }],
    ],
    [
      'mixed with text',
      'sampling.tool-results-alone',
      [use, { role: 'user', content: [outcome, { type: 'text', text: 'and?' }] }],
    ],
    ['at the end', 'sampling.tool-results-match', [use]],
  ] as const;
  for (const [where, rule, messages] of unbalanced) {
    test(
      `messages whose tool results are ${where} are not sent`,
      proves(subject, rule),
      async () => {
        expect(
          await inputRequestOf((context) => context.sample('q', { messages, maxTokens: 5 })),
        ).toBeUndefined();
        expect(
          await inputRequestOf((context) =>
            context.gather({ q: { sample: { messages, maxTokens: 5 } } }),
          ),
        ).toBeUndefined();
        const balanced = [use, { role: 'user', content: [outcome] }] as const;
        expect(
          await inputRequestOf((context) =>
            context.sample('q', { messages: balanced, maxTokens: 5 }),
          ),
        ).toMatchObject({ params: { messages: balanced } });
      },
    );
  }

  test(
    'context of servers is requested only of a client that declared it',
    proves(subject, 'sampling.include-context'),
    async () => {
      const ask = (context: InteractiveContext) =>
        context.sample('q', { messages: [], maxTokens: 5, includeContext: 'allServers' });
      expect((await inputRequestOf(ask))?.params).not.toHaveProperty('includeContext');
      expect((await inputRequestOf(ask, { sampling: { context: {} } }))?.params).toMatchObject({
        includeContext: 'allServers',
      });
    },
  );

  test(
    'content that does not fit the form never reaches the tool',
    proves(subject, 'elicitation.validated-server'),
    async () => {
      const answers: unknown[] = [];
      const ask = tool('ask', async (_args, context) => {
        answers.push(await context.elicit('q', form('Name?')));
        return { content: [] };
      });
      const client = await openRawClient(createServer(serverOptions({ tools: [ask] })), {
        era,
        wire,
        capabilities: everything,
      });
      if (era === 'legacy') {
        const id = client.ask('tools/call', { name: 'ask' });
        const inputRequest = await client.find(
          (message) => message.method === 'elicitation/create',
        );
        client.send({
          jsonrpc: '2.0',
          id: inputRequest.id,
          result: { action: 'accept', content: { name: 7 } },
        });
        expect(await client.answer(id)).toMatchObject({ result: { isError: true } });
      } else {
        const { result } = await client.request('tools/call', { name: 'ask' });
        const retry = {
          name: 'ask',
          requestState: result?.requestState,
          inputResponses: { q: { action: 'accept', content: { name: 7 } } },
        };
        expect(await client.request('tools/call', retry)).toMatchObject({
          result: { resultType: 'input_required', inputRequests: { q: {} } },
        });
      }
      expect(answers).toEqual([]);
    },
  );
});

describe.each(SERVER_SETUPS.filter(({ era }) => era === 'modern'))(
  'multi round-trip requests of a server, $era over $wire',
  ({ era, wire }) => {
    const subject = { side: 'server', era, wire } as const;
    const two = tool('two', async (args, context) => {
      const first = await context.elicit('first', form('First?'));
      if (first.action !== 'accept') return { content: [{ type: 'text', text: first.action }] };
      const [second, roots] = await Promise.all([
        context.elicit('second', form('Second?')),
        context.listRoots(),
      ]);
      return {
        structuredContent: { args, first: first.content, second: second.content ?? null, roots },
      };
    });
    const open = (options: Partial<ServerOptions> = {}) =>
      openRawClient(createServer(serverOptions({ tools: [two], ...options })), {
        era,
        wire,
        capabilities: everything,
      });
    const call = async (client: RawClient, rest: JsonObject = {}) =>
      client.request('tools/call', { name: 'two', arguments: {}, ...rest });
    const accept = (name: string) => ({ action: 'accept', content: { name } });

    test(
      'continue round by round',
      proves(subject, 'mrtr.content', 'mrtr.kinds', 'mrtr.keys', 'mrtr.methods'),
      async () => {
        const client = await open();
        const one = (await call(client)).result!;
        expect(one).toMatchObject({
          resultType: 'input_required',
          inputRequests: { first: { method: 'elicitation/create', params: form('First?') } },
          requestState: expect.any(String) as string,
        });
        const next = (
          await call(client, {
            requestState: one.requestState,
            inputResponses: { first: accept('Ada') },
          })
        ).result!;
        expect(
          Object.values(next.inputRequests as object)
            .map((each: { method: string }) => each.method)
            .toSorted(),
        ).toEqual(['elicitation/create', 'roots/list']);
        const [rootsKey] = Object.entries(next.inputRequests as object).find(
          ([, each]) => (each as { method: string }).method === 'roots/list',
        )!;
        expect(Object.keys(next.inputRequests as object)).not.toContain('first');
        const last = await call(client, {
          requestState: next.requestState,
          inputResponses: { second: accept('Bob'), [rootsKey]: { roots: [{ uri: 'file:///a' }] } },
        });
        expect(last.result).toMatchObject({
          resultType: 'complete',
          structuredContent: {
            first: { name: 'Ada' },
            second: { name: 'Bob' },
            roots: [{ uri: 'file:///a' }],
          },
        });
      },
    );

    test(
      'are handled without input_required on every other method',
      proves(subject, 'mrtr.methods'),
      async () => {
        const client = await open();
        for (const method of ['tools/list', 'server/discover']) {
          expect(
            await client.request(method, { requestState: 'odd', inputResponses: { q: {} } }),
          ).toMatchObject({ result: { resultType: 'complete' } });
        }
      },
    );

    test(
      'use only capabilities that this request declares',
      proves(subject, 'mrtr.undeclared'),
      async () => {
        const client = await open();
        expect(
          await call(client, { _meta: modernMeta({ sampling: {}, roots: {} }) }),
        ).toMatchObject({ error: { code: -32_021 } });
      },
    );

    test(
      'reject a changed state, and the state of another request',
      proves(subject, 'mrtr.state-tampered', 'mrtr.state-request'),
      async () => {
        const client = await open();
        const { requestState } = (await call(client)).result as { requestState: string };
        const answers = { inputResponses: { first: { action: 'decline' } } };
        const middle = Math.floor(requestState.length / 2);
        const flipped = `${requestState.slice(0, middle)}${requestState[middle] === 'A' ? 'B' : 'A'}${requestState.slice(middle + 1)}`;
        for (const wrong of [
          flipped,
          `${requestState}A`,
          requestState.slice(1),
          '',
          'plain',
          7,
          null,
        ]) {
          expect(
            await call(client, { ...answers, requestState: wrong }),
            String(wrong),
          ).toMatchObject({ error: { code: -32_602 } });
        }
        expect(
          await call(client, { ...answers, requestState, arguments: { other: true } }),
        ).toMatchObject({ error: { code: -32_602 } });
        expect(await call(client, { ...answers, requestState })).toMatchObject({
          result: { resultType: 'complete' },
        });
      },
    );

    test('reject an expired state', proves(subject, 'mrtr.state-expiry'), async () => {
      let now = 1_000_000;
      const client = await open({ settings: { requestState: { ttlMs: 5000, now: () => now } } });
      const { requestState } = (await call(client)).result!;
      now += 5001;
      expect(
        await call(client, { requestState, inputResponses: { first: { action: 'decline' } } }),
      ).toMatchObject({ error: { code: -32_602 } });
    });

    test(
      'accept the state of a destructive call once',
      proves(subject, 'mrtr.state-once'),
      async () => {
        let deleted = 0;
        const remove = tool(
          'remove',
          async (_args, context) => {
            if ((await context.elicit('sure', form('Sure?'))).action === 'accept') deleted += 1;
            return { structuredContent: { deleted } };
          },
          {
            annotations: {
              readOnlyHint: false,
              destructiveHint: true,
              idempotentHint: false,
              openWorldHint: false,
            },
          },
        );
        const client = await openRawClient(createServer(serverOptions({ tools: [remove] })), {
          era,
          wire,
          capabilities: everything,
        });
        const { requestState } = (await client.request('tools/call', { name: 'remove' })).result!;
        const retry = { name: 'remove', requestState, inputResponses: { sure: accept('yes') } };
        expect(await client.request('tools/call', retry)).toMatchObject({
          result: { structuredContent: { deleted: 1 } },
        });
        expect(await client.request('tools/call', retry)).toMatchObject({
          error: { code: -32_602 },
        });
        expect(deleted).toBe(1);
      },
    );

    test(
      'leave nothing running when the client does not respond',
      proves(subject, 'mrtr.no-retry', 'elicitation.refusals'),
      async () => {
        const signals: AbortSignal[] = [];
        let running = 0;
        const ask = tool('ask', async (_args, context) => {
          signals.push(context.signal);
          running += 1;
          try {
            return { structuredContent: { action: (await context.elicit('q', form('m'))).action } };
          } finally {
            running -= 1;
          }
        });
        const client = await openRawClient(createServer(serverOptions({ tools: [ask] })), {
          era,
          wire,
          capabilities: everything,
        });
        const { requestState } = (await client.request('tools/call', { name: 'ask' })).result!;
        await expect.poll(() => running).toBe(0);
        for (const action of ['decline', 'cancel']) {
          expect(
            await client.request('tools/call', {
              name: 'ask',
              requestState,
              inputResponses: { q: { action } },
            }),
          ).toMatchObject({ result: { structuredContent: { action } } });
        }
        expect(running).toBe(0);
        expect(signals).toHaveLength(3);
      },
    );

    test(
      'are repeated for missing responses; unknown responses are ignored, malformed ones rejected',
      proves(subject, 'mrtr.missing-answers', 'mrtr.extra-answers', 'mrtr.malformed-answers'),
      async () => {
        const client = await open();
        const { requestState } = (await call(client)).result!;
        expect(await call(client, { requestState, inputResponses: {} })).toMatchObject({
          result: { resultType: 'input_required', inputRequests: { first: {} } },
        });
        expect(await call(client, { requestState })).toMatchObject({
          result: { resultType: 'input_required', inputRequests: { first: {} } },
        });
        expect(
          await call(client, {
            requestState,
            inputResponses: { first: { action: 'decline' }, other: { action: 'accept' }, 'x y': 7 },
          }),
        ).toMatchObject({ result: { content: [{ text: 'decline' }] } });
        for (const inputResponses of [[], 'text', 7])
          expect(await call(client, { requestState, inputResponses })).toMatchObject({
            error: { code: -32_602 },
          });
      },
    );
  },
);
