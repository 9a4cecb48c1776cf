import type { Counter, Histogram } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { JobQueue } from '../ports/job-queue.ts';
import type { StoreReader } from '../ports/store.ts';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
import { PrometheusReader } from './prometheus-reader.ts';
import type { CallEnd, TurnEnd } from './run-timings.ts';

/** A request with its response. */
export interface ServedRequest {
  readonly method: string;
  /** Pattern of the path, so that ids do not create series. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Components whose state the gauges show. */
export interface MetricSources {
  readonly read: Pick<StoreReader, 'runCounts' | 'countPendingDeliveries'>;
  readonly queue: Pick<JobQueue, 'depth'>;
  /** States of the servers as this process knows them. */
  readonly registry: {
    readonly servers: () => ServerStates | Promise<ServerStates>;
  };
}

type ServerStates = readonly Pick<ServerStatus, 'name' | 'state'>[];

const SHORT_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LONG_S = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800];

/** Metrics of the process since its start. Gauges are read on demand. */
export class ServiceMetrics {
  readonly #reader = new PrometheusReader();
  readonly #runsEnded: Counter;
  readonly #runsDeleted: Counter;
  readonly #scheduledTimes: Counter;
  readonly #webhookAttempts: Counter;
  readonly #calls: Counter;
  readonly #callSeconds: Histogram;
  readonly #turnSeconds: Histogram;
  readonly #requests: Counter;
  readonly #requestsRefused: Counter;
  readonly #requestSeconds: Histogram;
  readonly #queue: MetricSources['queue'];
  #streams = 0;

  constructor({ read, queue, registry }: MetricSources) {
    this.#queue = queue;
    const meter = new MeterProvider({ readers: [this.#reader] }).getMeter('signalbox');
    meter
      .createObservableGauge('signalbox_runs', { description: 'Stored runs, by status.' })
      .addCallback(async (result) => {
        for (const [status, count] of await read.runCounts()) result.observe(count, { status });
      });
    meter
      .createObservableGauge('signalbox_queue_jobs', {
        description: 'Jobs that wait, delayed ones included, by type.',
      })
      .addCallback(async (result) => {
        const depth = await this.waitingJobs();
        for (const [type, count] of Object.entries(depth ?? {})) result.observe(count, { type });
      });
    meter
      .createObservableGauge('signalbox_sse_connections', { description: 'Open event streams.' })
      .addCallback((result) => result.observe(this.#streams));
    meter
      .createObservableGauge('signalbox_servers', {
        description: 'The state of each MCP server: 1 for the one it is in.',
      })
      .addCallback(async (result) => {
        for (const { name, state } of await registry.servers())
          result.observe(1, { server: name, state });
      });
    meter
      .createObservableGauge('signalbox_webhook_deliveries_pending', {
        description: 'Webhook deliveries that wait for their first or next attempt.',
      })
      .addCallback(async (result) => result.observe(await read.countPendingDeliveries()));
    this.#webhookAttempts = meter.createCounter('signalbox_webhook_attempts_total', {
      description: 'Attempts of webhook deliveries, by outcome; dead: the last one failed.',
    });
    this.#scheduledTimes = meter.createCounter('signalbox_scheduled_times_total', {
      description: 'Times of schedules that this process decided about, by outcome.',
    });
    this.#runsEnded = meter.createCounter('signalbox_runs_ended_total', {
      description: 'Runs that were settled, by status.',
    });
    this.#runsDeleted = meter.createCounter('signalbox_runs_deleted_total', {
      description: 'Runs that were deleted after their retention.',
    });
    this.#calls = meter.createCounter('signalbox_tool_calls_total', {
      description: 'Tool calls that ended, by server and outcome.',
    });
    this.#callSeconds = meter.createHistogram('signalbox_tool_call_duration_seconds', {
      description: 'From the sending of a tool call to its end.',
      advice: { explicitBucketBoundaries: LONG_S },
    });
    this.#turnSeconds = meter.createHistogram('signalbox_turn_duration_seconds', {
      description: 'From the start of a model call to its end, by outcome.',
      advice: { explicitBucketBoundaries: LONG_S },
    });
    this.#requests = meter.createCounter('signalbox_http_requests_total', {
      description: 'Requests that were answered, by route and status.',
    });
    this.#requestsRefused = meter.createCounter('signalbox_requests_refused_total', {
      description: 'Requests over a limit of the service, by the code of the problem.',
    });
    this.#requestSeconds = meter.createHistogram('signalbox_http_request_duration_seconds', {
      description: 'From a request to the end of its answer, streams left out.',
      advice: { explicitBucketBoundaries: SHORT_S },
    });
  }

  /** Returns the number of waiting jobs by type. Undefined while the queue does not answer, because other figures are still needed. */
  async waitingJobs(): Promise<{ readonly [type: string]: number } | undefined> {
    return this.#queue.depth().catch(() => undefined);
  }

  runEnded({ status }: { readonly status: string }): void {
    this.#runsEnded.add(1, { status });
  }

  runsDeleted(count: number): void {
    this.#runsDeleted.add(count);
  }

  scheduleDecided(outcome: 'started' | 'skipped' | 'failed'): void {
    this.#scheduledTimes.add(1, { outcome });
  }

  webhookAttempted(outcome: 'delivered' | 'failed' | 'dead'): void {
    this.#webhookAttempts.add(1, { outcome });
  }

  callEnded({ server, outcome, durationMs }: CallEnd): void {
    this.#calls.add(1, { server, outcome });
    if (durationMs !== undefined) this.#callSeconds.record(durationMs / 1000, { server });
  }

  turnEnded({ outcome, durationMs }: TurnEnd): void {
    if (durationMs !== undefined) this.#turnSeconds.record(durationMs / 1000, { outcome });
  }

  requestServed({ method, route, status, durationMs }: ServedRequest): void {
    this.#requests.add(1, { method, route, status: String(status) });
    this.#requestSeconds.record(durationMs / 1000, { method, route });
  }

  requestRefused({ code }: { readonly code: string }): void {
    this.#requestsRefused.add(1, { code });
  }

  /** Counts an open event stream and returns the function that ends it. */
  streamOpened(): () => void {
    this.#streams += 1;
    let isOpen = true;
    return () => {
      if (isOpen) this.#streams -= 1;
      isOpen = false;
    };
  }

  /** Returns all metrics in the Prometheus text format. Rejects if a gauge cannot be read. */
  text(): Promise<string> {
    return this.#reader.text();
  }
}
