import * as fc from 'fast-check';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createInMemoryTransports } from '../testing/in-memory-transport.ts';
import { readEnvelope } from './envelope.ts';
import type { JsonRpcMessage, JsonRpcRequest, JsonRpcResponse } from './messages.ts';
import { Peer } from './peer.ts';
import type { ResultOrError } from './responses.ts';
import type { RunningRequest } from './running-request.ts';

/** A small set of ids, so that ids of running requests and of both types collide. */
const id = fc.constantFrom<string | number>(0, 1, -1, 2, '1', '0', '', 'a');
const method = fc.constantFrom('now', 'soon', 'gated', 'throws', 'rejects', 'unwritable', 'silent');
const request = fc.record({ jsonrpc: fc.constant('2.0'), id, method });
const other = fc.oneof(
  fc.record({ jsonrpc: fc.constant('2.0'), method: fc.constant('release') }),
  fc.record({
    jsonrpc: fc.constant('2.0'),
    method: fc.constant('cancel'),
    params: fc.record({ requestId: id }),
  }),
  fc.record({ jsonrpc: fc.constant('2.0'), id, result: fc.constantFrom<unknown>({}, 'text') }),
  fc.record({
    jsonrpc: fc.constant('2.0'),
    id,
    error: fc.constantFrom<unknown>({ code: 1, message: '' }, {}),
  }),
  fc.record({ jsonrpc: fc.constant('1.0'), id, method }),
  fc.record({ jsonrpc: fc.constant('2.0'), id: fc.constantFrom(null, 1.5, true), method }),
  fc.jsonValue(),
);
const single = fc.oneof(request, request, other);
const messages = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: single },
    { weight: 1, arbitrary: fc.array(single, { maxLength: 6 }) },
  ),
  { maxLength: 60 },
);

/** Counts the responses for each id; `undefined` stands for a missing id. */
class Tally {
  readonly #counts = new Map<unknown, number>();

  add(key: unknown, count = 1): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  entries(): readonly (readonly [unknown, number])[] {
    return [...this.#counts]
      .filter(([, count]) => count !== 0)
      .toSorted(([left], [right]) =>
        `${typeof left}${String(left)}`.localeCompare(`${typeof right}${String(right)}`),
      );
  }
}

test('every request gets exactly one response, unless it was cancelled or its handler returns none', async () => {
  await fc.assert(
    fc.asyncProperty(messages, async (sent) => {
      const [near, far] = createInMemoryTransports();
      const expected = new Tally();
      const answered = new Tally();
      const gates: (() => void)[] = [];
      const started: RunningRequest[] = [];
      const handle = ({
        method: name,
      }: JsonRpcRequest): ResultOrError | undefined | Promise<ResultOrError | undefined> => {
        switch (name) {
          case 'soon':
            return Promise.resolve({ result: {} });
          case 'gated':
            return new Promise((resolve) => gates.push(() => resolve({ result: {} })));
          case 'throws':
            throw new Error(name);
          case 'rejects':
            return Promise.reject(new Error(name));
          case 'unwritable':
            return { result: { n: 1n } };
          case 'silent':
            return undefined;
          default:
            return { result: {} };
        }
      };
      const peer = new Peer(near, {
        request: (incoming, running) => {
          started.push(running);
          return handle(incoming);
        },
        notification: ({ method: name, params }) => {
          if (name === 'release') for (const open of gates.splice(0)) open();
          else if (name === 'cancel') peer.cancel(params?.requestId as string);
        },
        ended: () => undefined,
        acceptsBatch: () => true,
        answersWithoutId: () => true,
      });
      await far.start({
        message: (value) => {
          for (const answer of [value].flat() as JsonRpcResponse[]) answered.add(answer.id);
        },
        unreadable: () => undefined,
        closed: () => undefined,
      });
      await peer.start();
      for (const message of sent) {
        const isBatch = Array.isArray(message) && message.length > 0;
        for (const entry of isBatch ? message : [message]) {
          const envelope = readEnvelope(entry);
          if (envelope.kind === 'request') expected.add(envelope.message.id);
          else if (envelope.kind === 'invalid') expected.add(envelope.id);
          else if (envelope.kind === 'batch') expected.add(undefined);
        }
        // Sent unchanged, whatever it is.
        void far.send(message as JsonRpcMessage);
      }
      await nextTurn();
      for (const open of gates.splice(0)) open();
      await peer.responded();
      await nextTurn();
      for (const {
        request: { id: unanswered, method: name },
        isCancelled,
      } of started)
        if (isCancelled || name === 'silent') expected.add(unanswered, -1);
      expect(answered.entries()).toEqual(expected.entries());
      await peer.close();
    }),
    { numRuns: 150 },
  );
});

test('every sent request has exactly one outcome, whatever the peer sends', async () => {
  const answer = fc.oneof(
    fc.record({
      jsonrpc: fc.constant('2.0'),
      id: fc.integer({ min: -1, max: 12 }),
      result: fc.constantFrom<unknown>({}, 3),
    }),
    fc.record({
      jsonrpc: fc.constant('2.0'),
      id: fc.constantFrom('1', '2', null),
      error: fc.constant({ code: 1, message: '' }),
    }),
    fc.record({
      jsonrpc: fc.constantFrom('2.0', 2),
      id: fc.integer({ min: 1, max: 12 }),
      error: fc.constantFrom<unknown>({ code: 1, message: '' }, 'bad'),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { maxLength: 40 }), async (answers) => {
      const [near, far] = createInMemoryTransports();
      const peer = new Peer(near, {
        request: () => undefined,
        notification: () => undefined,
        ended: () => undefined,
      });
      await far.start({
        message: () => undefined,
        unreadable: () => undefined,
        closed: () => undefined,
      });
      await peer.start();
      const ends: number[] = [];
      for (let index = 1; index <= 10; index += 1) {
        const requestId = peer.takeId();
        peer.call(
          { jsonrpc: '2.0', id: requestId, method: 'x' },
          { settled: () => ends.push(requestId) },
        );
      }
      for (const message of answers) void far.send(message as JsonRpcMessage);
      await nextTurn();
      await peer.close();
      await nextTurn();
      expect(ends.toSorted((left, right) => left - right)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    }),
    { numRuns: 100 },
  );
});
