import { expect, test } from 'vitest';
import { LlmError } from '../../ports/llm-provider.ts';
import type { RunEventBody } from '../core/events.ts';
import { callsThenAnswer, type Reply, type Script } from '../testing/fake-llm.ts';
import { ok } from '../testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../testing/service.ts';

const RUNS = 24;
const SLOTS = 4;
const MINUTE_MS = 60_000;

const never = new Promise<never>(() => undefined);
const FAILURES: readonly Reply[] = [
  { fail: new LlmError('network', 'connection refused') },
  { fail: new LlmError('overloaded', 'answered 529', { status: 529 }) },
  { fail: new LlmError('rate', 'answered 429', { retryAfterMs: 3 * MINUTE_MS }) },
  { text: 'half an ans', fail: new LlmError('network', 'the stream broke') },
];

/** A provider that answers, hangs, or fails in several ways. Even runs get their first message in any case. */
class Provider {
  state: 'up' | 'silent' | 'down' = 'down';
  #failures = 0;
  readonly #answer = callsThenAnswer([[{ name: 'w__write' }]]);

  readonly script: Script = (request, index) => {
    const isFirstOfEven =
      request.messages.length === 1 && /[02468]"/.test(JSON.stringify(request.messages));
    if (this.state === 'up' || isFirstOfEven) return this.#answer(request, index);
    if (this.state === 'silent') return { text: 'half', stubbornHold: never };
    this.#failures += 1;
    return FAILURES[this.#failures % FAILURES.length] ?? {};
  };
}

/** Attempts that began and ended, from the events of all services. */
class Attempts {
  began = 0;
  failed = 0;
  ended = 0;

  readonly onEvents = (_runId: string, events: readonly RunEventBody[]): void => {
    for (const { type } of events) {
      if (type === 'turn.started') this.began += 1;
      if (type === 'turn.failed') this.failed += 1;
      if (/^turn\.(failed|interrupted|completed)$/.test(type)) this.ended += 1;
    }
  };

  /** Resolves when no attempt is due or in progress. */
  async settle(service: Service): Promise<void> {
    const { opened, clock } = service;
    await service.until(async () => {
      if (this.began !== this.ended) return undefined;
      const due = await opened.read.retries({ until: clock.now(), limit: 1 });
      return due.length === 0 && this.began === this.ended ? true : undefined;
    });
  }

  async pass(service: Service, minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      service.clock.advance(MINUTE_MS);
      await this.settle(service);
    }
  }
}

test('an outage of 30 minutes with a restart in the middle loses none of many runs, and repeats no tool call', async () => {
  const provider = new Provider();
  const attempts = new Attempts();
  const effects: string[] = [];
  const options: ServiceOptions = {
    script: provider.script,
    tools: {
      w__write: {
        call: ({ runId }) => {
          effects.push(runId);
          return Promise.resolve(ok('written'));
        },
      },
    },
    policies: { w: { approval: 'auto', sampling: 'ask' } },
    concurrency: { modelCalls: SLOTS, toolCalls: SLOTS },
    onEvents: attempts.onEvents,
  };
  const first = await openService(options);
  const ids: string[] = [];
  for (let index = 0; index < RUNS; index += 1)
    ids.push((await first.engine.createRun({ prompt: `run ${index}` })).id);
  await first.until(async () => (attempts.failed === RUNS ? Promise.resolve(true) : undefined));
  expect(effects).toHaveLength(RUNS / 2);
  await attempts.pass(first, 12);

  provider.state = 'silent';
  const before = first.llm.requests.length;
  first.clock.advance(5 * MINUTE_MS);
  await first.until(() =>
    Promise.resolve(first.llm.requests.length === before + SLOTS ? true : undefined),
  );
  await first.kill();
  provider.state = 'down';
  const second = await openService({ ...options, dataDir: first.dataDir, clock: first.clock });
  await attempts.pass(second, 13);
  expect(attempts.failed).toBeGreaterThan(5 * RUNS);

  provider.state = 'up';
  second.clock.advance(10 * MINUTE_MS);
  for (const id of ids) {
    expect(await second.settled(id)).toMatchObject({
      status: 'completed',
      turns: 2,
      toolCalls: 1,
      modelOutage: undefined,
    });
    const failures = (await second.events(id)).filter(({ type }) => type === 'turn.failed');
    expect(failures.every(({ data }) => data['retryable'] === true)).toBe(true);
  }
  expect(effects.toSorted()).toEqual(ids.toSorted());
});
