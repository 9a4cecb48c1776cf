import { expect, test } from 'vitest';
import { EMPTY_RECORD } from './journal.ts';
import { RequestStates, type RequestState } from './request-state.ts';

const state = (nonce: string, expiresAt: number): RequestState => ({
  nonce,
  expiresAt,
  round: 1,
  journal: EMPTY_RECORD,
});

test('the set of used states is bounded, and evicted states cannot be used again', async () => {
  const states = new RequestStates({ now: () => 0 });
  for (let count = 1; count <= 100_001; count += 1)
    await states.consume(state(`state ${String(count)}`, count));
  await expect(states.consume(state('state 1', 1))).rejects.toMatchObject({ code: -32602 });
  await expect(states.consume(state('as old as what was forgotten', 1))).rejects.toMatchObject({
    code: -32602,
  });
  await expect(states.consume(state('state 2', 2))).rejects.toMatchObject({ code: -32602 });
  await expect(states.consume(state('younger', 3))).resolves.toBeUndefined();
});

test('expired states are evicted first', async () => {
  let now = 0;
  const states = new RequestStates({ now: () => now });
  await states.consume(state('first', 10));
  now = 10;
  await states.consume(state('second', 20));
  await expect(states.consume(state('late', 11))).resolves.toBeUndefined();
});
