import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectGarbage } from './collect-garbage.ts';
import { ResponseLedger } from './response-ledger.ts';
import { expectedResponses } from './expected-responses.ts';
import type { FuzzConnection, FuzzMessage, FuzzSession, FuzzTarget } from './fuzz-target.ts';
import { MessageSource } from './message-source.ts';
import { Random } from './random.ts';

export interface FuzzOptions {
  readonly messages: number;
  readonly seed: number;
  readonly report: (line: string) => void;
}

const SESSIONS: readonly [FuzzSession, ...FuzzSession[]] = ['2025-03-26', 'modern', '2025-11-25'];
const MESSAGES_A_CONNECTION = 50_000;
const MESSAGES_A_CHECK = 10_000;
const MESSAGES_A_REPORT = 100_000;
const MESSAGES_AT_ONCE = 400;
/** Longest wait for the responses to one batch of sent messages, in milliseconds. */
const SETTLE_MS = 10_000;
/** Allowed growth of the heap after the first check, excluding garbage. */
const HEAP_GROWTH_MIB = 16;
const TURNS_TO_END = 50;

/**
 * Sends messages to a target over consecutive connections.
 * @throws Error when a response is missing or unexpected, or memory leaks.
 */
export async function fuzz(
  target: FuzzTarget,
  { messages, seed, report }: FuzzOptions,
): Promise<void> {
  const random = new Random(seed);
  const heap = new HeapWatch();
  const start = performance.now();
  const total = { sent: 0, answers: 0 };
  const onSent = async (sent: number, answers: number): Promise<void> => {
    total.sent += sent;
    total.answers += answers;
    if (total.sent % MESSAGES_A_CHECK !== 0 && total.sent !== messages) return;
    const mib = await heap.check();
    if (total.sent % MESSAGES_A_REPORT !== 0 && total.sent !== messages) return;
    const rate = Math.round(total.sent / ((performance.now() - start) / 1000));
    report(
      `${target.name}: ${String(total.sent)} messages, ${String(total.answers)} answers, ${String(rate)}/s, heap ${mib.toFixed(1)} MiB`,
    );
  };
  for (let connection = 0; connection * MESSAGES_A_CONNECTION < messages; connection += 1) {
    const session = SESSIONS[connection % SESSIONS.length] ?? SESSIONS[0];
    await converse(target, {
      session,
      random,
      count: Math.min(MESSAGES_A_CONNECTION, messages - total.sent),
      onSent,
    });
  }
}

interface Conversation {
  readonly session: FuzzSession;
  readonly random: Random;
  readonly count: number;
  readonly onSent: (messages: number, answers: number) => Promise<void>;
}

async function converse(
  target: FuzzTarget,
  { session, random, count, onSent }: Conversation,
): Promise<void> {
  const ledger = new ResponseLedger();
  const source = new MessageSource(random, session);
  const connection = await target.open((value) => ledger.take(value));
  const exchange = async (messages: readonly FuzzMessage[]): Promise<void> => {
    for (const message of messages) ledger.expect(expectedResponses(message, session));
    connection.send(messages);
    await ledger.settle(SETTLE_MS);
  };
  await openSession(connection, session, exchange);
  for (let left = count; left > 0; left -= MESSAGES_AT_ONCE) {
    const number = Math.min(MESSAGES_AT_ONCE, left);
    await exchange(Array.from({ length: number }, () => source.next(target.isText)));
    await onSent(number, ledger.takeCount());
  }
  await connection.close();
}

async function openSession(
  connection: FuzzConnection,
  session: FuzzSession,
  exchange: (messages: readonly FuzzMessage[]) => Promise<void>,
): Promise<void> {
  if (session === 'modern') return;
  const message = (value: object): FuzzMessage => ({
    bytes: Buffer.from(JSON.stringify(value)),
    json: { value },
  });
  const params = {
    protocolVersion: session,
    capabilities: {},
    clientInfo: { name: 'fuzz', version: '1' },
  };
  await exchange([message({ jsonrpc: '2.0', id: 'open', method: 'initialize', params })]);
  connection.send([message({ jsonrpc: '2.0', method: 'notifications/initialized' })]);
}

class HeapWatch {
  #firstMib: number | undefined;

  /**
   * Returns the heap in use in MiB, after some turns in which pending work may end.
   * @throws Error when it has grown since the first check
   */
  async check(): Promise<number> {
    let mib = this.#measure();
    this.#firstMib ??= mib;
    for (let turn = 0; mib > this.#firstMib + HEAP_GROWTH_MIB && turn < TURNS_TO_END; turn += 1) {
      await nextTurn();
      mib = this.#measure();
    }
    if (mib > this.#firstMib + HEAP_GROWTH_MIB)
      throw new Error(
        `the heap has grown from ${this.#firstMib.toFixed(1)} to ${mib.toFixed(1)} MiB`,
      );
    return mib;
  }

  #measure(): number {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return (heapUsed + arrayBuffers) / 1024 / 1024;
  }
}
