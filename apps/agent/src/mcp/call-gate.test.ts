import { expect, test } from 'vitest';
import { CallGate } from './call-gate.ts';

const never = new AbortController().signal;

/** Enters and writes down when that was allowed. */
function enter(gate: CallGate, runId: string, options: { readonly log: string[]; readonly signal?: AbortSignal }): Promise<() => void> {
  return gate.enter(runId, options.signal ?? never).then((leave) => {
    options.log.push(runId);
    return leave;
  });
}

async function microtasks(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

test('runs are inside together until the gate is made exclusive', async () => {
  const gate = new CallGate();
  await Promise.all([gate.enter('a', never), gate.enter('b', never)]);
  expect(gate.runs).toEqual(['a', 'b']);
});

test('an exclusive gate admits calls of one run at a time, in order of arrival', async () => {
  const gate = new CallGate();
  gate.makeExclusive();
  const log: string[] = [];
  const [first, second] = await Promise.all([enter(gate, 'a', { log }), enter(gate, 'a', { log })]);
  const waiting = ['b', 'a', 'c'].map((run) => enter(gate, run, { log }));
  await microtasks();
  expect(log).toEqual(['a', 'a']);
  first();
  await microtasks();
  expect(log).toEqual(['a', 'a']);
  second();
  for (const admitted of waiting) {
    const leave = await admitted;
    expect(gate.runs).toHaveLength(1);
    leave();
  }
  expect(log).toEqual(['a', 'a', 'b', 'a', 'c']);
  expect(gate.runs).toEqual([]);
});

test('runs that are inside when it becomes exclusive finish before another enters', async () => {
  const gate = new CallGate();
  const [a, b] = await Promise.all([gate.enter('a', never), gate.enter('b', never)]);
  gate.makeExclusive();
  const log: string[] = [];
  const again = enter(gate, 'a', { log });
  await microtasks();
  expect(log).toEqual([]);
  b();
  (await again)();
  a();
  expect(gate.runs).toEqual([]);
});

test('who is aborted while waiting leaves the queue, and those behind move up', async () => {
  const gate = new CallGate();
  gate.makeExclusive();
  const leave = await gate.enter('a', never);
  const abort = new AbortController();
  const log: string[] = [];
  const given = gate.enter('b', abort.signal);
  const behind = enter(gate, 'a', { log });
  await microtasks();
  expect(log).toEqual([]);
  abort.abort(new Error('enough'));
  await expect(given).rejects.toThrow('enough');
  (await behind)();
  leave();
  expect(gate.runs).toEqual([]);
});

test('who is aborted before never enters', async () => {
  const gate = new CallGate();
  await expect(gate.enter('a', AbortSignal.abort())).rejects.toThrow(/aborted/);
  expect(gate.runs).toEqual([]);
});
