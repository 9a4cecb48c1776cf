import { expect, test } from 'vitest';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
import { type MetricSources, ServiceMetrics } from './service-metrics.ts';

interface Sources {
  /** Names and states of the servers. */
  servers: readonly (readonly [name: string, state: ServerStatus['state']])[];
  runCounts: () => ReturnType<MetricSources['read']['runCounts']>;
}

function openMetrics(): { readonly metrics: ServiceMetrics; readonly sources: Sources } {
  const sources: Sources = {
    servers: [],
    runCounts: () => Promise.resolve(new Map([['completed', 2]])),
  };
  const metrics = new ServiceMetrics({
    read: {
      runCounts: () => sources.runCounts(),
      countPendingDeliveries: () => Promise.resolve(4),
    },
    queue: { depth: () => Promise.resolve({ 'advance-run': 1, 'call-tool': 0 }) },
    registry: {
      servers: () => sources.servers.map(([name, state]) => ({ name, state })),
    },
  });
  return { metrics, sources };
}

const call = { runId: 'r1', callId: 'c1', attempt: 1, tool: 'read', outcome: 'succeeded' } as const;

test('metrics are Prometheus text with the documented names and types', async () => {
  const { metrics, sources } = openMetrics();
  sources.servers = [['files', 'ready']];
  metrics.streamOpened();
  metrics.runEnded({ status: 'completed' });
  metrics.runsDeleted(3);
  metrics.webhookAttempted('delivered');
  metrics.scheduleDecided('started');
  metrics.callEnded({ ...call, server: 'files', durationMs: 10 });
  metrics.callEnded({ ...call, server: 'files', durationMs: 2_000_000 });
  metrics.turnEnded({ runId: 'r1', outcome: 'completed', durationMs: 700 });
  metrics.requestServed({ method: 'GET', route: '/v1/runs', status: 200, durationMs: 12 });
  metrics.requestRefused({ code: 'too_many_runs' });
  const buckets = (bounds: readonly number[], series: string, from: number) =>
    bounds.map((bound) => `${series},le="${bound}"} ${bound < from ? 0 : 1}`);
  const long = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800];
  const short = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
  const text = await metrics.text();
  expect(text.endsWith('\n')).toBe(true);
  expect(text.trimEnd().split('\n')).toEqual([
    '# HELP signalbox_runs Stored runs, by status.',
    '# TYPE signalbox_runs gauge',
    'signalbox_runs{status="completed"} 2',
    '# HELP signalbox_queue_jobs Jobs that wait, delayed ones included, by type.',
    '# TYPE signalbox_queue_jobs gauge',
    'signalbox_queue_jobs{type="advance-run"} 1',
    'signalbox_queue_jobs{type="call-tool"} 0',
    '# HELP signalbox_sse_connections Open event streams.',
    '# TYPE signalbox_sse_connections gauge',
    'signalbox_sse_connections 1',
    '# HELP signalbox_servers The state of each MCP server: 1 for the one it is in.',
    '# TYPE signalbox_servers gauge',
    'signalbox_servers{server="files",state="ready"} 1',
    '# HELP signalbox_webhook_deliveries_pending Webhook deliveries that wait for their first or next attempt.',
    '# TYPE signalbox_webhook_deliveries_pending gauge',
    'signalbox_webhook_deliveries_pending 4',
    '# HELP signalbox_webhook_attempts_total Attempts of webhook deliveries, by outcome; dead: the last one failed.',
    '# TYPE signalbox_webhook_attempts_total counter',
    'signalbox_webhook_attempts_total{outcome="delivered"} 1',
    '# HELP signalbox_scheduled_times_total Times of schedules that this process decided about, by outcome.',
    '# TYPE signalbox_scheduled_times_total counter',
    'signalbox_scheduled_times_total{outcome="started"} 1',
    '# HELP signalbox_runs_ended_total Runs that were settled, by status.',
    '# TYPE signalbox_runs_ended_total counter',
    'signalbox_runs_ended_total{status="completed"} 1',
    '# HELP signalbox_runs_deleted_total Runs that were deleted after their retention.',
    '# TYPE signalbox_runs_deleted_total counter',
    'signalbox_runs_deleted_total 3',
    '# HELP signalbox_tool_calls_total Tool calls that ended, by server and outcome.',
    '# TYPE signalbox_tool_calls_total counter',
    'signalbox_tool_calls_total{server="files",outcome="succeeded"} 2',
    '# HELP signalbox_tool_call_duration_seconds From the sending of a tool call to its end.',
    '# TYPE signalbox_tool_call_duration_seconds histogram',
    'signalbox_tool_call_duration_seconds_count{server="files"} 2',
    'signalbox_tool_call_duration_seconds_sum{server="files"} 2000.01',
    // A bucket contains its upper bound.
    ...buckets(long, 'signalbox_tool_call_duration_seconds_bucket{server="files"', 0.01),
    'signalbox_tool_call_duration_seconds_bucket{server="files",le="+Inf"} 2',
    '# HELP signalbox_turn_duration_seconds From the start of a model call to its end, by outcome.',
    '# TYPE signalbox_turn_duration_seconds histogram',
    'signalbox_turn_duration_seconds_count{outcome="completed"} 1',
    'signalbox_turn_duration_seconds_sum{outcome="completed"} 0.7',
    ...buckets(long, 'signalbox_turn_duration_seconds_bucket{outcome="completed"', 1),
    'signalbox_turn_duration_seconds_bucket{outcome="completed",le="+Inf"} 1',
    '# HELP signalbox_http_requests_total Requests that were answered, by route and status.',
    '# TYPE signalbox_http_requests_total counter',
    'signalbox_http_requests_total{method="GET",route="/v1/runs",status="200"} 1',
    '# HELP signalbox_requests_refused_total Requests over a limit of the service, by the code of the problem.',
    '# TYPE signalbox_requests_refused_total counter',
    'signalbox_requests_refused_total{code="too_many_runs"} 1',
    '# HELP signalbox_http_request_duration_seconds From a request to the end of its answer, streams left out.',
    '# TYPE signalbox_http_request_duration_seconds histogram',
    'signalbox_http_request_duration_seconds_count{method="GET",route="/v1/runs"} 1',
    'signalbox_http_request_duration_seconds_sum{method="GET",route="/v1/runs"} 0.012',
    ...buckets(
      short,
      'signalbox_http_request_duration_seconds_bucket{method="GET",route="/v1/runs"',
      0.025,
    ),
    'signalbox_http_request_duration_seconds_bucket{method="GET",route="/v1/runs",le="+Inf"} 1',
  ]);
});

test('label values are escaped', async () => {
  const { metrics } = openMetrics();
  metrics.callEnded({ ...call, server: 'a"b\\c\nd', durationMs: undefined });
  expect(await metrics.text()).toContain(
    '\nsignalbox_tool_calls_total{server="a\\"b\\\\c\\nd",outcome="succeeded"} 1\n',
  );
});

const serverLines = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.startsWith('signalbox_servers{'));

test('a gauge has only the current label sets, and counters are cumulative across scrapes', async () => {
  const { metrics, sources } = openMetrics();
  sources.servers = [
    ['files', 'connecting'],
    ['weather', 'ready'],
  ];
  metrics.runEnded({ status: 'completed' });
  expect(serverLines(await metrics.text())).toHaveLength(2);
  sources.servers = [['files', 'ready']];
  metrics.runEnded({ status: 'completed' });
  const text = await metrics.text();
  expect(serverLines(text)).toEqual(['signalbox_servers{server="files",state="ready"} 1']);
  expect(text).toContain('\nsignalbox_runs_ended_total{status="completed"} 2\n');
});

test('concurrent scrapes return the same metrics', async () => {
  const { metrics, sources } = openMetrics();
  sources.servers = [['files', 'ready']];
  const [first, second] = await Promise.all([metrics.text(), metrics.text()]);
  expect(serverLines(first)).toHaveLength(1);
  expect(second).toBe(first);
});

test('thousands of servers have a series each', async () => {
  const { metrics, sources } = openMetrics();
  sources.servers = Array.from({ length: 2500 }, (_, index) => [`s${String(index)}`, 'ready']);
  for (const [server] of sources.servers)
    metrics.callEnded({ ...call, server, durationMs: undefined });
  const text = await metrics.text();
  expect(serverLines(text)).toHaveLength(2500);
  expect(text.match(/^signalbox_tool_calls_total\{/gm)).toHaveLength(2500);
});

test('a scrape rejects with the error of a gauge that cannot be read; the next scrape succeeds', async () => {
  const { metrics, sources } = openMetrics();
  const { runCounts } = sources;
  sources.runCounts = () => Promise.reject(new Error('disk I/O error'));
  await expect(metrics.text()).rejects.toThrow('disk I/O error');
  sources.runCounts = runCounts;
  expect(await metrics.text()).toContain('\nsignalbox_runs{status="completed"} 2\n');
});
