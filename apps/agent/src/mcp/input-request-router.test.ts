import type { ElicitResult } from '@signalbox/mcp-core';
import type { InputContext } from '@signalbox/mcp-core/client';
import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { InputRequestRouter, type CallInFlight } from './input-request-router.ts';

const context: InputContext = { signal: new AbortController().signal, meta: {} };
const visit = (elicitationId: string) =>
  ({ mode: 'url', message: 'sign in', url: 'https://example.org/', elicitationId }) as const;

function routed(): {
  readonly router: InputRequestRouter;
  readonly call: CallInFlight;
  readonly received: readonly string[];
} {
  const received: string[] = [];
  const router = new InputRequestRouter({
    clock: new ManualClock(),
    roots: () => [],
    onUnnamedInputRequest: () => undefined,
  });
  const elicit = (): Promise<ElicitResult> => Promise.resolve({ action: 'accept' });
  const call = {
    runId: 'r',
    meta: {},
    inputHandlers: { elicit },
    onElicitationComplete: (id: string) => void received.push(id),
  };
  router.begin(call);
  return { router, call, received };
}

test('the call that elicited by URL gets one completion, even after its end', async () => {
  const { router, call, received } = routed();
  await router.handlers.elicit?.(visit('e1'), context);
  await router.handlers.elicit?.(visit('e2'), context);
  router.completed('e1');
  router.end(call, 'answered');
  for (const id of ['e2', 'e2', 'e1', 'never asked']) router.completed(id);
  expect(received).toEqual(['e1', 'e2']);
});

test('only the last 256 URL elicitations of a server are remembered', async () => {
  const { router, received } = routed();
  for (let count = 0; count < 258; count += 1)
    await router.handlers.elicit?.(visit(`e${count}`), context);
  for (const id of ['e0', 'e1', 'e2', 'e257']) router.completed(id);
  expect(received).toEqual(['e2', 'e257']);
});
