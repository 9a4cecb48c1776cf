import { ProtocolError, type JsonObject } from '@signalbox/mcp-core';
import type { ClientOptions } from '@signalbox/mcp-core/client';
import { describe, expect, test } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { type Message } from './message.ts';
import { CLIENT_SETUPS, complete, connect, sent, type Connected } from './raw-server.ts';
import type { Script } from './script.ts';

const form = {
  message: 'Name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};

describe.each(CLIENT_SETUPS)(
  'the input responses of a client, $era over $wire',
  ({ era, wire }) => {
    const place = { era, wire };
    const subject = { side: 'client', era, wire } as const;

    /** Makes the server send an input request during a call; returns the client's response. */
    async function ask(
      inputRequest: { method: string; params: JsonObject },
      options: Partial<ClientOptions>,
    ): Promise<{ readonly result?: JsonObject; readonly error?: JsonObject } & Connected> {
      const script: Script = {
        'tools/call': async (request, raw) => {
          if (era === 'modern' && request.params?.inputResponses === undefined)
            return { result: { resultType: 'input_required', inputRequests: { q: inputRequest } } };
          if (era === 'legacy') {
            raw.send({ jsonrpc: '2.0', id: 'inputRequest', ...inputRequest }, request.id);
            await raw.inbox.find((message) => message.id === 'inputRequest');
          }
          return complete(era, { content: [] });
        },
      };
      const connected = await connect(place, script, options);
      const call = connected.client.callTool('ask', {});
      await (era === 'legacy' ? call : call.catch(() => undefined));
      const answer = connected.server.inbox.messages.find(
        (message) => message.id === 'inputRequest',
      );
      const responses = sent(connected.server, 'tools/call')[1]?.params?.inputResponses as
        | { q?: JsonObject }
        | undefined;
      const retried = responses?.q === undefined ? {} : { result: responses.q };
      return { ...connected, ...(answer === undefined ? retried : (answer as JsonObject)) };
    }

    test(
      'an elicitation without mode is a form',
      proves(subject, 'elicitation.mode-absent'),
      async () => {
        const { result } = await ask(
          { method: 'elicitation/create', params: form },
          {
            handlers: {
              elicit: (params) =>
                Promise.resolve({
                  action: 'accept',
                  content: { name: String('requestedSchema' in params) },
                }),
            },
          },
        );
        expect(result).toEqual({ action: 'accept', content: { name: 'true' } });
      },
    );

    test(
      'content that does not fit its form is not sent',
      proves({ ...subject, wire: 'any' }, 'elicitation.validated-client'),
      async () => {
        const { result } = await ask(
          { method: 'elicitation/create', params: form },
          {
            handlers: { elicit: () => Promise.resolve({ action: 'accept', content: { name: 7 } }) },
          },
        );
        expect(result).toBeUndefined();
      },
    );

    test(
      'a mode that was not declared is refused',
      era === 'legacy' ? proves(subject, 'elicitation.mode-refused') : {},
      async () => {
        let asked = 0;
        const { result, error } = await ask(
          {
            method: 'elicitation/create',
            params: { mode: 'url', message: 'Go', url: 'https://example.com', elicitationId: 'e' },
          },
          {
            handlers: {
              elicit: () => {
                asked += 1;
                return Promise.resolve({ action: 'accept' });
              },
            },
          },
        );
        expect([asked, result, error?.code]).toEqual([
          0,
          undefined,
          era === 'legacy' ? -32_602 : undefined,
        ]);
      },
    );

    test(
      'tools that were not declared are refused',
      proves(subject, 'sampling.tools-refused'),
      async () => {
        let asked = 0;
        const { result, error } = await ask(
          {
            method: 'sampling/createMessage',
            params: {
              messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
              maxTokens: 5,
              tools: [{ name: 't', inputSchema: { type: 'object' } }],
            },
          },
          {
            handlers: {
              sample: () => {
                asked += 1;
                return Promise.reject(new Error('never'));
              },
            },
          },
        );
        expect([asked, result]).toEqual([0, undefined]);
        if (era === 'legacy') expect(error).toHaveProperty('code');
      },
    );

    test(
      'a sampled message has a role and content',
      era === 'modern' ? proves(subject, 'sampling.content') : {},
      async () => {
        const { result } = await ask(
          {
            method: 'sampling/createMessage',
            params: {
              messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
              maxTokens: 5,
            },
          },
          {
            handlers: {
              sample: ({ maxTokens }) =>
                Promise.resolve({
                  role: 'assistant',
                  content: { type: 'text', text: `${maxTokens}` },
                  model: 'm',
                  stopReason: 'endTurn',
                }),
            },
          },
        );
        expect(result).toEqual({
          role: 'assistant',
          content: { type: 'text', text: '5' },
          model: 'm',
          stopReason: 'endTurn',
        });
      },
    );

    test('roots are file URIs', proves({ ...subject, wire: 'any' }, 'roots.file'), async () => {
      const right = await ask(
        { method: 'roots/list', params: {} },
        { handlers: { listRoots: () => Promise.resolve([{ uri: 'file:///home', name: 'home' }]) } },
      );
      expect(right.result).toEqual({ roots: [{ uri: 'file:///home', name: 'home' }] });
      const wrong = await ask(
        { method: 'roots/list', params: {} },
        { handlers: { listRoots: () => Promise.resolve([{ uri: 'https://example.com' }]) } },
      );
      expect(wrong.result).toBeUndefined();
    });

    if (era === 'legacy') {
      test(
        'a refusal is sent with its code, a failure with -32603',
        proves(subject, 'sampling.refused', 'roots.internal'),
        async () => {
          const params = { messages: [], maxTokens: 1 };
          const refused = await ask(
            { method: 'sampling/createMessage', params },
            {
              handlers: {
                sample: () =>
                  Promise.reject(new ProtocolError(-1, 'User rejected sampling request')),
              },
            },
          );
          expect(refused.error).toEqual({ code: -1, message: 'User rejected sampling request' });
          const failed = await ask(
            { method: 'roots/list', params: {} },
            { handlers: { listRoots: () => Promise.reject(new Error('password hunter2')) } },
          );
          expect(failed.error).toEqual({
            code: -32_603,
            message: expect.not.stringContaining('hunter2') as string,
          });
        },
      );

      test(
        'tool results that are missing or mixed are refused',
        proves(subject, 'sampling.tool-results-checked'),
        async () => {
          const use = {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'u1', name: 't', input: {} }],
          };
          const mixed = [
            use,
            {
              role: 'user',
              content: [
                { type: 'tool_result', toolUseId: 'u1', content: [] },
                { type: 'text', text: 'x' },
              ],
            },
          ];
          const missing = [use, { role: 'user', content: { type: 'text', text: 'x' } }];
          for (const messages of [mixed, missing]) {
            const { error } = await ask(
              {
                method: 'sampling/createMessage',
                params: {
                  messages,
                  maxTokens: 1,
                  tools: [{ name: 't', inputSchema: { type: 'object' } }],
                },
              },
              {
                capabilities: { samplingTools: true },
                handlers: {
                  sample: () =>
                    Promise.resolve({
                      role: 'assistant',
                      content: { type: 'text', text: '' },
                      model: 'm',
                    }),
                },
              },
            );
            expect(error?.code).toBe(-32_602);
          }
        },
      );

      test(
        'a withdrawn input request gets no response',
        proves(subject, 'cancel.client-stops'),
        async () => {
          const signals: AbortSignal[] = [];
          const { client, server } = await connect(
            place,
            {
              'tools/call': async (request, raw) => {
                raw.send({ jsonrpc: '2.0', id: 'inputRequest', method: 'roots/list' }, request.id);
                await expect.poll(() => signals.length).toBe(1);
                raw.send(
                  {
                    jsonrpc: '2.0',
                    method: 'notifications/cancelled',
                    params: { requestId: 'inputRequest' },
                  },
                  request.id,
                );
                raw.send(
                  {
                    jsonrpc: '2.0',
                    method: 'notifications/cancelled',
                    params: { requestId: 'unknown' },
                  },
                  request.id,
                );
                return complete(era, { content: [] });
              },
            },
            {
              handlers: {
                listRoots: ({ signal }) => {
                  signals.push(signal);
                  return new Promise((_resolve, reject) => {
                    signal.addEventListener('abort', () => {
                      reject(new Error('withdrawn'));
                    });
                  });
                },
              },
            },
          );
          await client.callTool('ask', {});
          await client.ping();
          expect(signals[0]?.aborted).toBe(true);
          expect(
            server.inbox.messages.filter((message: Message) => message.method === undefined),
          ).toEqual([]);
        },
      );

      test(
        'an unexpected completion is ignored',
        proves(subject, 'elicitation.complete-unknown'),
        async () => {
          const { client } = await connect(place, {
            'tools/call': (request, raw) => {
              raw.send(
                {
                  jsonrpc: '2.0',
                  method: 'notifications/elicitation/complete',
                  params: { elicitationId: 'unknown' },
                },
                request.id,
              );
              return complete(era, { content: [] });
            },
          });
          expect(await client.callTool('t', {})).toMatchObject({ content: [] });
        },
      );
    }
  },
);

describe.each(CLIENT_SETUPS.filter(({ era }) => era === 'modern'))(
  'the multi round-trip requests of a client, $era over $wire',
  ({ era, wire }) => {
    const place = { era, wire };
    const subject = { side: 'client', era, wire } as const;
    const elicit = (message: string) => ({
      method: 'elicitation/create',
      params: { ...form, message },
    });

    test(
      'are sent together, with an unchanged state, a new id and the same parameters',
      proves(subject, 'mrtr.all-inputs', 'mrtr.state-echoed', 'mrtr.new-id'),
      async () => {
        const requestState = ' ü"\\=={}\u2028 ';
        const { client, server } = await connect(
          place,
          {
            'tools/call': ({ params }) => {
              if (params?.inputResponses === undefined)
                return {
                  result: {
                    resultType: 'input_required',
                    inputRequests: { a: elicit('a'), b: { method: 'roots/list' } },
                    requestState,
                  },
                };
              return 'c' in (params.inputResponses as object)
                ? complete(era, { content: [] })
                : { result: { resultType: 'input_required', inputRequests: { c: elicit('c') } } };
            },
          },
          {
            handlers: {
              elicit: ({ message }) =>
                Promise.resolve({ action: 'accept', content: { name: message } }),
              listRoots: () => Promise.resolve([{ uri: 'file:///r' }]),
            },
          },
        );
        await client.callTool('ask', { x: [1] });
        const calls = sent(server, 'tools/call');
        expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
        const rounds = calls.map(({ params: { _meta: meta, ...params } = {} }) => [
          params,
          meta === undefined,
        ]);
        const same = { name: 'ask', arguments: { x: [1] } };
        expect(rounds).toEqual([
          [same, false],
          [
            {
              ...same,
              requestState,
              inputResponses: {
                a: { action: 'accept', content: { name: 'a' } },
                b: { roots: [{ uri: 'file:///r' }] },
              },
            },
            false,
          ],
          [{ ...same, inputResponses: { c: { action: 'accept', content: { name: 'c' } } } }, false],
        ]);
      },
    );

    test(
      'a state without input requests is sent back immediately',
      proves(subject, 'mrtr.state-echoed'),
      async () => {
        const { client, server } = await connect(place, {
          'tools/call': ({ params }) =>
            params?.requestState === undefined
              ? { result: { resultType: 'input_required', requestState: 's' } }
              : complete(era, { content: [] }),
        });
        await client.callTool('t', {});
        expect(sent(server, 'tools/call').map(({ params }) => params?.requestState)).toEqual([
          undefined,
          's',
        ]);
      },
    );

    test(
      'state and responses are sent with no other request',
      proves(subject, 'mrtr.only-retry'),
      async () => {
        const { client, server } = await connect(
          place,
          {
            'tools/call': ({ params }) =>
              params?.name === 'ask' && params.inputResponses === undefined
                ? {
                    result: {
                      resultType: 'input_required',
                      inputRequests: { q: elicit('q') },
                      requestState: 's',
                    },
                  }
                : complete(era, { content: [] }),
          },
          {
            handlers: {
              elicit: async () => {
                await client.callTool('other', {});
                return { action: 'decline' };
              },
            },
          },
        );
        await client.callTool('ask', {});
        await client.callTool('ask-not', {});
        expect(
          sent(server, 'tools/call').map(({ params }) => [params?.name, params?.requestState]),
        ).toEqual([
          ['ask', undefined],
          ['other', undefined],
          ['ask', 's'],
          ['ask-not', undefined],
        ]);
      },
    );
  },
);
