import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LocalError, ProtocolError } from '../../protocol/errors.ts';
import { connectClient } from '../connect-client.ts';
import {
  discovered,
  initialized,
  ScriptedServer,
} from '../testing/scripted-server.test.support.ts';

const METHODS = [
  'progress',
  'message',
  'cancelled',
  'tools/list_changed',
  'resources/updated',
  'subscriptions/acknowledged',
  'tasks',
  'elicitation/complete',
].map((name) => `notifications/${name}`);
const QUESTIONS = [
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
  'ping',
  'constructor',
  '__proto__',
  'toString',
];

const id = fc.oneof(fc.integer({ min: 0, max: 8 }), fc.constantFrom('1', '', null, 1.5));
const members = fc.constantFrom(
  'progressToken',
  'requestId',
  'uri',
  'message',
  'mode',
  'requestedSchema',
  'messages',
  'taskId',
  'notifications',
  '_meta',
  '__proto__',
  'progress',
  'level',
);
const params = fc.oneof(fc.dictionary(members, fc.oneof(id, fc.jsonValue())), fc.jsonValue());
const results = fc.dictionary(
  fc.constantFrom(
    'resultType',
    'content',
    'tools',
    'inputRequests',
    'requestState',
    'structuredContent',
    'nextCursor',
    'task',
    'taskId',
    'ttlMs',
    '__proto__',
  ),
  fc.oneof(fc.constantFrom('complete', 'input_required', 'task', 1), fc.jsonValue()),
);
const message = fc.oneof(
  fc.record(
    { jsonrpc: fc.constant('2.0'), method: fc.constantFrom(...METHODS, ...QUESTIONS), params },
    { requiredKeys: ['jsonrpc', 'method'] },
  ),
  fc.record(
    { jsonrpc: fc.constant('2.0'), id, method: fc.constantFrom(...QUESTIONS), params },
    { requiredKeys: ['jsonrpc', 'id', 'method'] },
  ),
  fc.record({ jsonrpc: fc.constant('2.0'), id, result: fc.oneof(results, fc.jsonValue()) }),
  fc.record({
    jsonrpc: fc.constant('2.0'),
    id,
    error: fc.oneof(
      fc.record({
        code: fc.integer({ min: -32_050, max: -32_000 }),
        message: fc.string(),
        data: fc.jsonValue(),
      }),
      fc.jsonValue(),
    ),
  }),
  fc.jsonValue(),
);

test.each(['legacy', 'modern'] as const)(
  'whatever a %s server sends, requests end in an answer or one of our errors, and nothing escapes',
  async (era) => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 12 }), async (messages) => {
        const server = new ScriptedServer({
          initialize: initialized(),
          'server/discover': discovered,
        });
        const client = await connectClient(() => server, {
          info: { name: 't', version: '0' },
          era,
          limits: { maxInputRounds: 2 },
          handlers: {
            elicit: () => Promise.resolve({ action: 'accept', content: {} }),
            sample: () => Promise.reject(new ProtocolError(-1, 'no')),
            listRoots: () => Promise.resolve([]),
          },
          events: { onProblem: () => undefined },
        });
        const outcomes = [
          client.callTool('a', {}),
          client.listTools(),
          client.readResource('file:///a'),
          client.watch({ onToolsChanged: () => undefined, resources: ['file:///a'] }),
        ].map((request) =>
          request.then(
            () => 'answered',
            (error: unknown) => error,
          ),
        );
        for (const sent of messages) {
          server.deliverRaw(sent);
          await Promise.resolve();
        }
        await client.close();
        for (const outcome of await Promise.all(outcomes)) {
          expect(
            outcome === 'answered' ||
              outcome instanceof LocalError ||
              outcome instanceof ProtocolError,
          ).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  },
);
