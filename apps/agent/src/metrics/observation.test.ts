import type { JsonObject } from '@signalbox/mcp-core';
import { expect, test } from 'vitest';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { ok, READ_ONLY, untilCancelled } from '../run/testing/fake-registry.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { openService, type Service } from '../run/testing/service.ts';
import { observeService, type Observation } from './observation.ts';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: JsonObject | undefined;
}

function observed(
  service: Pick<Service, 'clock' | 'read' | 'registry'>,
): Observation & { readonly lines: Line[] } {
  const { clock, read, registry } = service;
  const lines: Line[] = [];
  const log = (level: string) => (message: string, fields?: JsonObject) =>
    void lines.push({ level, message, fields });
  return {
    ...observeService({
      clock,
      read,
      registry,
      queue: { depth: () => Promise.resolve({ 'advance-run': 2, 'call-tool': 0 }) },
      logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    }),
    lines,
  };
}

test('runs, turns and calls are counted and timed, and each call is one log line without its arguments and result', async () => {
  const clock = new ManualClock();
  const service = await openService({
    clock,
    onEvents: (runId, events) => onEvents(runId, events),
    script: callsThenAnswer([
      [
        { name: 'r__read', input: { password: 'secret' } },
        { name: 'r__broken' },
        { name: 'r__slow' },
        { name: 'no__tool' },
      ],
    ]),
    tools: {
      r__read: { annotations: READ_ONLY, call: async () => (clock.advance(40), ok('secret')) },
      r__broken: {
        annotations: READ_ONLY,
        call: () => Promise.resolve({ type: 'error', message: 'no' }),
      },
      r__slow: { annotations: READ_ONLY, call: untilCancelled() },
    },
  });
  const { metrics, onEvents, lines } = observed(service);
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.until(async () =>
    lines.length === 3 && service.registry.sent.length === 3 ? true : undefined,
  );
  const slow = (await service.read.toolCalls(id)).find(({ tool }) => tool === 'slow')!;
  await service.engine.cancelCall({ runId: id, id: slow.id });
  await service.settled(id);

  const text = await metrics.text();
  for (const line of [
    'signalbox_runs{status="completed"} 1',
    'signalbox_runs_ended_total{status="completed"} 1',
    'signalbox_tool_calls_total{server="r",outcome="succeeded"} 1',
    'signalbox_tool_calls_total{server="r",outcome="failed"} 1',
    'signalbox_tool_calls_total{server="r",outcome="cancelled"} 1',
    'signalbox_tool_calls_total{server="",outcome="failed"} 1',
    'signalbox_tool_call_duration_seconds_count{server="r"} 3',
    'signalbox_turn_duration_seconds_count{outcome="completed"} 2',
    'signalbox_queue_jobs{type="advance-run"} 2',
    'signalbox_servers{server="r",state="ready"} 1',
  ])
    expect(text).toContain(`\n${line}\n`);
  expect(
    lines.map(({ message, fields }) => [
      message,
      fields?.['run_id'],
      fields?.['tool'],
      fields?.['outcome'],
    ]),
  ).toEqual(
    expect.arrayContaining([
      ['a tool call ended', id, 'read', 'succeeded'],
      ['a tool call ended', id, 'broken', 'failed'],
      ['a tool call ended', id, 'slow', 'cancelled'],
    ]) as unknown,
  );
  expect(lines.find(({ fields }) => fields?.['tool'] === 'slow')?.fields).toMatchObject({
    call_id: slow.id,
    attempt: 1,
  });
  expect(JSON.stringify(lines)).not.toContain('secret');
});

test('a stream is counted once, while it is open', async () => {
  const { metrics } = observed(await openService({ script: () => ({ text: '' }) }));
  const close = metrics.streamOpened();
  metrics.streamOpened();
  expect(await metrics.text()).toContain('\nsignalbox_sse_connections 2\n');
  close();
  close();
  expect(await metrics.text()).toContain('\nsignalbox_sse_connections 1\n');
});

test('a request is one log line with its route; probes are logged at debug level, and the duration of a stream is not a latency', async () => {
  const { metrics, onServed, lines } = observed(
    await openService({ script: () => ({ text: '' }) }),
  );
  const request = {
    method: 'GET',
    route: '/v1/runs/:id',
    status: 200,
    durationMs: 12.4,
    requestId: 'q1',
    runId: 'r1',
    isStream: false,
  };
  onServed(request);
  onServed({ ...request, route: '/v1/runs/:id/events', isStream: true });
  onServed({ ...request, route: '/readyz', runId: undefined });
  expect(lines).toEqual([
    {
      level: 'info',
      message: 'a request was answered',
      fields: {
        method: 'GET',
        route: '/v1/runs/:id',
        status: 200,
        duration_ms: 12,
        request_id: 'q1',
        run_id: 'r1',
      },
    },
    {
      level: 'info',
      message: 'a request was answered',
      fields: {
        method: 'GET',
        route: '/v1/runs/:id/events',
        status: 200,
        duration_ms: 12,
        request_id: 'q1',
        run_id: 'r1',
      },
    },
    {
      level: 'debug',
      message: 'a request was answered',
      fields: { method: 'GET', route: '/readyz', status: 200, duration_ms: 12, request_id: 'q1' },
    },
  ]);
  const text = await metrics.text();
  expect(text).toContain(
    '\nsignalbox_http_requests_total{method="GET",route="/v1/runs/:id",status="200"} 1\n',
  );
  expect(text).not.toContain('/events');
});
