import type { strict } from 'node:assert';
import { call, receive, send, soon, type Check } from './transport-bench.contract.ts';

/** Messages and their size, 32 MiB in all: more than sockets and a transport that waits can hold. */
const FLOOD = { count: 512, characters: 64 * 1024 };
/** Checks in a row, 10 ms apart, without progress of a sender, after which it counts as waiting. A time limit alone would also count a process that gets no CPU time. */
const UNCHANGED_CHECKS = 30;
const CHECK_MS = 10;

/** Checks of a client that does not read for a while. */
export const backpressureChecks = (assert: typeof strict): readonly Check[] => [
  [
    'a handler that awaits its progress waits for a client that does not read, and nothing is lost',
    async ({ openStalled, counted }) => {
      const stalled = await openStalled();
      const { transport } = stalled;
      const { calls, response } = await receive(transport);
      const args = { to: FLOOD.count, characters: FLOOD.characters };
      await soon(send(transport, call('a', 'count', args, { progressToken: 'p' })), 'send');
      await untilQuiet(counted);
      assert.ok(
        counted() < FLOOD.count,
        'send makes its callers wait for a peer that does not read',
      );
      stalled.resume();
      await soon(response('a'), 'the response');
      const progress = calls.flatMap((value) => {
        const { method, params } = value as { method?: unknown; params?: { progress: number } };
        return method === 'notifications/progress' ? [params?.progress] : [];
      });
      assert.deepEqual(
        progress,
        Array.from({ length: FLOOD.count }, (_, index) => index + 1),
      );
      await transport.close();
    },
  ],
  [
    'a server whose responses are not read stops reading, so that its client waits, and answers all later',
    async ({ openStalled, echoed }) => {
      const stalled = await openStalled();
      const { transport } = stalled;
      const { response } = await receive(transport);
      const text = 'x'.repeat(FLOOD.characters);
      let sent = 0;
      const sending = (async () => {
        while (sent < FLOOD.count) {
          const message = call(String(sent), 'echo', { text });
          sent += 1;
          await transport.send(message);
        }
      })();
      await untilQuiet(() => sent + echoed.length);
      assert.ok(sent < FLOOD.count, 'the server stops reading while much of its output is unsent');
      stalled.resume();
      await soon(sending, 'sending the rest');
      await soon(
        Promise.all(Array.from({ length: FLOOD.count }, (_, id) => response(String(id)))),
        'all responses',
      );
      await transport.close();
    },
  ],
];

/** Resolves when a count has not changed for a while. */
async function untilQuiet(count: () => number): Promise<void> {
  let last = count();
  for (let unchanged = 0; unchanged < UNCHANGED_CHECKS; unchanged += 1) {
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
    if (count() !== last) unchanged = 0;
    last = count();
  }
}
