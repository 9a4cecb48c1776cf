import { SpanStatusCode } from '@opentelemetry/api';
import { expect, test, vi } from 'vitest';
import { LlmError } from '../../ports/llm-provider.ts';
import { createServiceEdge } from '../../http/testing/service-edge.ts';
import { callsThenAnswer } from '../../run/testing/fake-llm.ts';
import { ok, READ_ONLY } from '../../run/testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../../run/testing/service.ts';
import { recordTraces, textOf, type RecordedTraces } from '../testing/recorded-spans.ts';
import { OtelTraces } from './otel-traces.ts';
import { SpanSource } from './span-source.ts';

async function traced(options: ServiceOptions): Promise<Service & RecordedTraces> {
  const recorded = recordTraces();
  const service = await openService({
    onEvents: (runId, events) => recorded.traces.record(runId, events),
    traces: recorded.traces,
    ...options,
  });
  return { ...service, ...recorded };
}

const tool = (call: () => ReturnType<typeof ok>) => ({
  annotations: READ_ONLY,
  call: () => Promise.resolve(call()),
});

test('a run, its turns, model calls and tool calls are spans of one trace, with the attributes of the semantic conventions', async () => {
  const service = await traced({
    script: callsThenAnswer([[{ name: 'r__read', id: 'u1' }]]),
    tools: { r__read: tool(() => ok('text')) },
  });
  const { paths, span, spans } = service;
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.settled(id);
  expect(paths()).toEqual([
    'invoke_agent',
    'invoke_agent/turn',
    'invoke_agent/turn',
    'invoke_agent/turn/chat fake-1',
    'invoke_agent/turn/chat fake-1',
    'invoke_agent/turn/tools/call read',
  ]);
  expect(new Set(spans().map((each) => each.spanContext().traceId)).size).toBe(1);
  expect(span('invoke_agent').attributes).toEqual({
    'signalbox.run.id': id,
    'signalbox.run.kind': 'agent',
    'signalbox.run.status': 'completed',
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': 'scripted',
    'gen_ai.request.model': 'fake-1',
  });
  expect(spans().find(({ name }) => name === 'chat fake-1')?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'scripted',
    'gen_ai.request.model': 'fake-1',
    'gen_ai.response.model': 'fake-1',
    'gen_ai.response.finish_reasons': ['tool_use'],
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.usage.output_tokens': 5,
    'gen_ai.usage.cache_read.input_tokens': 0,
    'gen_ai.usage.cache_creation.input_tokens': 0,
    'signalbox.attempt': 1,
  });
  expect(span('tools/call read').attributes).toEqual({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'read',
    'gen_ai.tool.call.id': 'u1',
    'mcp.method.name': 'tools/call',
    'signalbox.server': 'r',
    'signalbox.tool_call.id': (await service.read.toolCalls(id))[0]?.id,
    'signalbox.attempt': 1,
    'signalbox.outcome': 'succeeded',
  });
  expect(spans().every(({ status }) => status.code === SpanStatusCode.UNSET)).toBe(true);
});

test('no prompt, argument, result, answer, error text, metadata or made-up tool name is in a span', async () => {
  const service = await traced({
    script: callsThenAnswer(
      [
        [
          { name: 'r__read', input: { value: 'canary-argument' } },
          { name: 'r__broken', input: { value: 'canary-argument' } },
          { name: 'canary-name' },
        ],
      ],
      'canary-answer',
    ),
    tools: {
      r__read: tool(() => ok('canary-result')),
      r__broken: tool(() => ({ type: 'error', message: 'canary-error' })),
    },
  });
  const { id } = await service.engine.createRun({
    prompt: 'canary-prompt',
    instructions: 'canary-instructions',
    metadata: { key: 'canary-metadata' },
  });
  await service.settled(id);
  const failing = await traced({ script: () => ({ fail: new LlmError('auth', 'canary-key') }) });
  await failing.settled((await failing.engine.createRun({ prompt: 'canary-prompt' })).id);
  expect(service.spans().length + failing.spans().length).toBe(10);
  expect(textOf([...service.spans(), ...failing.spans()])).not.toContain('canary');
});

test('a failed tool call and a failed model call are errors with a type', async () => {
  const service = await traced({
    script: callsThenAnswer([[{ name: 'r__broken' }]]),
    tools: { r__broken: tool(() => ({ type: 'error', message: 'no' })) },
  });
  await service.settled((await service.engine.createRun({ prompt: 'go' })).id);
  expect(service.span('tools/call broken')).toMatchObject({
    status: { code: SpanStatusCode.ERROR },
    attributes: { 'error.type': 'tool_error', 'signalbox.outcome': 'failed' },
  });
  expect(service.span('invoke_agent').status.code).toBe(SpanStatusCode.UNSET);

  const failing = await traced({ script: () => ({ fail: new LlmError('auth', 'no') }) });
  const run = await failing.settled((await failing.engine.createRun({ prompt: 'go' })).id);
  for (const name of ['invoke_agent', 'turn', 'chat fake-1'])
    expect(failing.span(name)).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': run.error?.code },
    });
});

test('while a run waits for a person no span is open, and it continues under its first span', async () => {
  const service = await traced({
    script: callsThenAnswer([[{ name: 'r__write' }]]),
    tools: { r__write: { call: () => Promise.resolve(ok('written')) } },
  });
  const { paths, spans } = service;
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.status(id, 'input_required');
  expect(paths()).toEqual(['invoke_agent', 'invoke_agent/turn', 'invoke_agent/turn/chat fake-1']);
  const first = spans().at(-1);
  expect(first?.attributes['signalbox.run.status']).toBe('input_required');
  expect(spans().flatMap(({ events }) => events)).toMatchObject([
    {
      name: 'signalbox.inbox.opened',
      attributes: { 'signalbox.inbox_item.kind': 'tool_approval' },
    },
  ]);
  await service.engine.respond((await service.item(id)).id, { action: 'approve' });
  await service.settled(id);
  expect(paths().slice(1)).toEqual([
    'invoke_agent/invoke_agent',
    'invoke_agent/invoke_agent/turn',
    'invoke_agent/invoke_agent/turn',
    'invoke_agent/invoke_agent/turn/chat fake-1',
    'invoke_agent/invoke_agent/turn/tools/call write',
    'invoke_agent/turn',
    'invoke_agent/turn/chat fake-1',
  ]);
});

const SENT = {
  method: 'tools/call',
  protocolVersion: '2026-07-28',
  transport: 'http',
} as const;
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

test('the span of a client is the parent of the run that its request starts; an invalid one is ignored', async () => {
  const service = await traced({ script: () => ({ text: 'done' }) });
  const { traces, spans } = service;
  const edge = await createServiceEdge(service, { traces });
  const start = async (traceparent: string): Promise<void> => {
    const response = await edge.request('POST', '/v1/runs', {
      body: { prompt: 'go' },
      headers: { traceparent, tracestate: 'vendor=1', 'idempotency-key': traceparent },
    });
    await service.settled(response.json<{ readonly id: string }>().id);
  };
  await start(`00-${TRACE_ID}-b7ad6b7169203331-01`);
  expect(spans().map((span) => span.spanContext().traceId)).toEqual(Array(3).fill(TRACE_ID));
  expect(spans().at(-1)?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  expect(spans().at(-1)?.spanContext().traceState?.serialize()).toBe('vendor=1');
  await start('not-a-context');
  expect(spans().at(-1)?.parentSpanContext).toBeUndefined();
});

test('a run that another process accepted, and one that is recovered, continue the trace of the client', async () => {
  const options: ServiceOptions = {
    script: callsThenAnswer([[{ name: 'r__read' }]]),
    tools: { r__read: { annotations: READ_ONLY, call: () => new Promise(() => undefined) } },
  };
  const api = await openService({ ...options, isStarted: false });
  const edge = await createServiceEdge(api, { traces: { runRequested: () => undefined } });
  const response = await edge.request('POST', '/v1/runs', {
    body: { prompt: 'go' },
    headers: { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01`, tracestate: 'vendor=1' },
  });
  const { id } = response.json<{ readonly id: string }>();
  await api.kill();
  const later = { dataDir: api.dataDir, clock: api.clock };
  const first = await traced({ ...options, ...later });
  await first.event(id, 'tool_call.dispatched');
  await first.kill();
  const next = await traced({
    ...options,
    ...later,
    tools: { r__read: tool(() => ok('text')) },
  });
  await next.settled(id);
  for (const { spans } of [first, next]) {
    expect(spans().length).toBeGreaterThan(0);
    expect(new Set(spans().map((span) => span.spanContext().traceId))).toEqual(new Set([TRACE_ID]));
  }
  const root = next.spans().find(({ name }) => name === 'invoke_agent');
  expect(root?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  expect(root?.spanContext().traceState?.serialize()).toBe('vendor=1');
});

test('a client that is not traced starts a run without spans', async () => {
  const service = await traced({ script: () => ({ text: 'done' }) });
  const { traces, spans } = service;
  const edge = await createServiceEdge(service, { traces });
  const response = await edge.request('POST', '/v1/runs', {
    body: { prompt: 'go' },
    headers: { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-00` },
  });
  await service.settled(response.json<{ readonly id: string }>().id);
  expect(spans()).toEqual([]);
});

const started = {
  type: 'run.started',
  data: { provider: 'p', model: 'm', scripted: false, notice: undefined },
} as const;
const completed = {
  type: 'run.completed',
  data: { answer: '', output: undefined, scripted: false },
} as const;

test('every process that works on a run continues its trace', () => {
  const [first, second] = [recordTraces(), recordTraces()];
  first.traces.record('r1', [
    started,
    { type: 'run.input_required', data: { inbox_item_ids: [] } },
  ]);
  second.traces.record('r1', [
    { type: 'run.resumed', data: { reason: 'process_restarted' } },
    completed,
  ]);
  second.traces.record('r2', [started, completed]);
  const traceOf = (recorded: RecordedTraces, index: number) =>
    recorded.spans()[index]?.spanContext().traceId;
  expect(traceOf(first, 0)).toBe(traceOf(second, 0));
  expect(traceOf(second, 1)).not.toBe(traceOf(second, 0));
  expect(second.spans()[0]?.attributes['signalbox.run.resumed']).toBe('process_restarted');
});

test('a run that waits for a person is continued by the next process, with the names of its tool and model', async () => {
  const options = {
    script: callsThenAnswer([[{ name: 'r__write' }]]),
    tools: { r__write: { call: () => Promise.resolve(ok('written')) } },
  };
  const first = await traced(options);
  const { id } = await first.engine.createRun({ prompt: 'go' });
  await first.status(id, 'input_required');
  await first.kill();
  const { traces, paths, ...recorded } = recordTraces();
  const second = await openService({
    ...options,
    dataDir: first.dataDir,
    tools: {
      r__write: {
        call: ({ runId, callId = '' }) => {
          traces.callSent({ ...SENT, runId, callId, tool: { server: 'r', name: 'write' } });
          return Promise.resolve(ok('written'));
        },
      },
    },
    onEvents: (runId, events) => traces.record(runId, events),
  });
  await second.engine.respond((await second.item(id)).id, { action: 'approve' });
  await second.settled(id);
  expect(paths()).toEqual([
    'invoke_agent',
    'invoke_agent/tools/call write',
    'invoke_agent/turn',
    'invoke_agent/turn/chat fake-1',
  ]);
  expect(recorded.span('invoke_agent').attributes).toMatchObject({
    'signalbox.run.resumed': 'inbox_closed',
    'gen_ai.request.model': 'fake-1',
  });
  expect(recorded.spans()[0]?.spanContext().traceId).toBe(first.spans()[0]?.spanContext().traceId);
});

test('the context for a server names the span of its call, also of a call that an earlier process planned', () => {
  const { traces, spans } = recordTraces();
  const { traceparent } = traces.callSent({
    runId: 'r1',
    callId: 'c1',
    tool: { server: 's', name: 't' },
    ...SENT,
  });
  traces.record('r1', [completed]);
  const [call, run] = spans();
  const { traceId, spanId } = call!.spanContext();
  expect(traceparent).toBe(`00-${traceId}-${spanId}-01`);
  expect(call?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId);
  expect(call?.attributes).toMatchObject({
    'gen_ai.tool.name': 't',
    'mcp.protocol.version': '2026-07-28',
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
  });
});

test('events after the end of a run begin no span', () => {
  const { traces, spans } = recordTraces();
  traces.record('r1', [started, completed, started]);
  traces.record('r1', [{ type: 'tool_call.resumed', data: { call_id: 'c1', attempt: 1 } }]);
  traces.record('r1', [completed]);
  expect(spans().map(({ name }) => name)).toEqual(['run']);
});

test('open spans are ended and sent at the close, which waits at most 2 seconds', async () => {
  vi.useFakeTimers();
  const onEnd = vi.fn<(span: { readonly attributes: object }) => void>();
  const traces = new OtelTraces(
    new SpanSource({
      spanProcessors: [
        {
          onStart: () => undefined,
          onEnd,
          forceFlush: () => Promise.resolve(),
          shutdown: () => new Promise(() => undefined),
        },
      ],
    }),
    'scripted',
  );
  traces.record('r1', [started]);
  const closed = vi.fn<() => void>();
  const closing = traces.close().then(closed);
  expect(onEnd.mock.calls[0]?.[0].attributes).toMatchObject({ 'signalbox.interrupted': true });
  await vi.advanceTimersByTimeAsync(1999);
  expect(closed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await closing;
  vi.useRealTimers();
});
