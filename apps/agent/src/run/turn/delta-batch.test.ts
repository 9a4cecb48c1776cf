import { expect, test } from 'vitest';
import type { Signal } from '../../ports/signal-bus.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService } from '../testing/service.ts';
import { DELTA_EVERY_MS, DeltaBatch } from './delta-batch.ts';

type Delta = Extract<Signal, { type: 'delta' }>;

function start() {
  const clock = new ManualClock();
  const published: Delta[] = [];
  const bus = {
    publish: (signal: Signal) => void (signal.type === 'delta' && published.push(signal)),
    subscribe: () => () => undefined,
  };
  const batch = new DeltaBatch({ bus, clock }, { runId: 'r', messageId: 'm' });
  return {
    clock,
    batch,
    published: () =>
      published.map(({ kind, toolUse, offset, text }) =>
        [kind, ...(toolUse === undefined ? [] : [toolUse.id]), offset, text].join(' '),
      ),
  };
}

test('the first part is published at once, and what arrives within 40 ms as one delta', () => {
  const { clock, batch, published } = start();
  for (const token of ['The', ' quick', ' fox']) batch.add(token, { kind: 'text' });
  expect(published()).toEqual(['text 0 The']);
  clock.advance(DELTA_EVERY_MS);
  expect(published()).toEqual(['text 0 The', 'text 3  quick fox']);
  batch.add(' jumps', { kind: 'text' });
  clock.advance(DELTA_EVERY_MS - 1);
  expect(published()).toHaveLength(2);
  clock.advance(1 + DELTA_EVERY_MS);
  expect(published()[2]).toBe('text 13  jumps');
  expect(clock.waits).toEqual([]);
  batch.add(' high', { kind: 'text' });
  expect(published()[3]).toBe('text 19  high');
});

test('a part of another kind or call publishes the waiting one first, and each has its own offsets', () => {
  const { batch, published } = start();
  const toolUse = (index: number) =>
    ({ kind: 'arguments', toolUse: { index, id: `use-${index}`, name: 'write' } }) as const;
  batch.add('a', { kind: 'reasoning' });
  batch.add('bc', { kind: 'reasoning' });
  batch.add('x', { kind: 'text' });
  batch.add('{"p', toolUse(0));
  batch.add('":1}', toolUse(0));
  batch.add('{', toolUse(1));
  batch.add('d', { kind: 'reasoning' });
  batch.close();
  expect(published()).toEqual([
    'reasoning 0 a',
    'reasoning 1 bc',
    'text 0 x',
    'arguments use-0 0 {"p":1}',
    'arguments use-1 0 {',
    'reasoning 3 d',
  ]);
});

test('the arguments of a tool call are published while the model writes them, before the message is completed', async () => {
  const content = 'a long file '.repeat(20);
  const service = await openService({
    script: (request, index) => ({
      ...callsThenAnswer([[{ name: 'a__write', input: { content } }]])(request, index),
      streamsArguments: true,
    }),
    tools: { a__write: { annotations: READ_ONLY, call: () => Promise.resolve(ok('written')) } },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.settled(id);
  const completed = service.signals.findIndex(
    (signal) =>
      signal.type === 'events' && signal.events?.some(({ type }) => type === 'message.completed'),
  );
  const deltas = service.signals
    .slice(0, completed)
    .flatMap((signal) => (signal.type === 'delta' && signal.kind === 'arguments' ? [signal] : []));
  expect(deltas[0]?.toolUse).toEqual({ index: 0, id: 'use-0-0', name: 'a__write' });
  expect(JSON.parse(deltas.map(({ text }) => text).join(''))).toEqual({ content });
  expect(deltas.length).toBeLessThanOrEqual(2);
});

test('a model call that is stopped publishes the text that waits', async () => {
  const service = await openService({
    script: () => ({ text: 'half of an answer', hold: new Promise(() => undefined) }),
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.until(
    async () => service.signals.some((signal) => signal.type === 'delta') || undefined,
  );
  await new Promise((resolve) => void setImmediate(resolve));
  await service.engine.cancelRun(id);
  const { answer } = await service.settled(id);
  const text = service.signals.map((signal) => (signal.type === 'delta' ? signal.text : ''));
  expect(text.join('')).toBe(answer);
});
