import { expect, test, vi } from 'vitest';
import { FakeServer } from '../mcp/testing/fake-server.ts';
import { callRequest, poolOf, toolNamed } from '../mcp/testing/pool-fixture.ts';
import type { Traces } from '../ports/traces.ts';
import { withTraces } from './traced-registry.ts';

test('a traced call carries its trace context in _meta, beside the idempotency key', async () => {
  const server = new FakeServer(toolNamed('t'));
  const { pool } = poolOf({ server }, {});
  pool.start();
  await pool.settled(1000);
  const callSent = vi.fn<Traces['callSent']>(() => ({
    traceparent: 'parent',
    tracestate: 'state',
  }));
  const request = callRequest('server__t', { runId: 'r1', callId: 'c1', idempotencyKey: 'k' });
  const registry = withTraces(pool, { callSent, runRequested: () => undefined });
  const outcome = (await registry.reserve(request)).call(request);
  await vi.waitFor(() => expect(server.calls.length).toBe(1), { interval: 1, timeout: 10_000 });
  server.calls[0]?.answer({ content: [{ type: 'text', text: 'done' }] });
  await outcome;
  expect(server.calls[0]?.options.meta).toEqual({
    'dev.signalbox/idempotency-key': 'k',
    traceparent: 'parent',
    tracestate: 'state',
  });
  expect(callSent.mock.calls).toEqual([
    [
      expect.objectContaining({
        runId: 'r1',
        callId: 'c1',
        method: 'tools/call',
        transport: 'stdio',
        tool: expect.objectContaining({ server: 'server', name: 't' }) as object,
      }),
    ],
  ]);
});

test('without traces the registry is not wrapped', () => {
  const { pool } = poolOf({}, {});
  expect(withTraces(pool, undefined)).toBe(pool);
});
