import type { JobQueue } from '../ports/job-queue.ts';
import type { StoreReader } from '../ports/store.ts';
import type { ToolRegistry } from '../ports/tool-registry.ts';
import { Counter, gauge, Histogram } from './metric-families.ts';
import type { CallEnd, TurnEnd } from './run-timings.ts';

/** A request with its response. */
export interface ServedRequest {
  readonly method: string;
  /** Pattern of the path, so that ids do not create series. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

export interface MetricSources {
  readonly read: StoreReader;
  readonly queue: JobQueue;
  readonly registry: ToolRegistry;
}

const SHORT_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LONG_S = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800];

/** Metrics of the process since its start. Gauges are read on demand. */
export class ServiceMetrics {
  readonly #runsEnded = new Counter(
    'signalbox_runs_ended_total',
    'Runs that were settled, by status.',
  );
  readonly #calls = new Counter(
    'signalbox_tool_calls_total',
    'Tool calls that ended, by server and outcome.',
  );
  readonly #callSeconds = new Histogram(
    'signalbox_tool_call_duration_seconds',
    'From the sending of a tool call to its end.',
    LONG_S,
  );
  readonly #turnSeconds = new Histogram(
    'signalbox_turn_duration_seconds',
    'From the start of a model call to its end, by outcome.',
    LONG_S,
  );
  readonly #requests = new Counter(
    'signalbox_http_requests_total',
    'Requests that were answered, by route and status.',
  );
  readonly #requestSeconds = new Histogram(
    'signalbox_http_request_duration_seconds',
    'From a request to the end of its answer, streams left out.',
    SHORT_S,
  );
  #streams = 0;

  runEnded({ status }: { readonly status: string }): void {
    this.#runsEnded.add({ status });
  }

  callEnded({ server, outcome, durationMs }: CallEnd): void {
    this.#calls.add({ server, outcome });
    if (durationMs !== undefined) this.#callSeconds.observe(durationMs / 1000, { server });
  }

  turnEnded({ outcome, durationMs }: TurnEnd): void {
    if (durationMs !== undefined) this.#turnSeconds.observe(durationMs / 1000, { outcome });
  }

  requestServed({ method, route, status, durationMs }: ServedRequest): void {
    this.#requests.add({ method, route, status: String(status) });
    this.#requestSeconds.observe(durationMs / 1000, { method, route });
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

  /** Returns all metrics in the Prometheus text format. */
  async text({ read, queue, registry }: MetricSources): Promise<string> {
    const [runs, jobs] = await Promise.all([read.runCounts(), queue.depth()]);
    const families = [
      gauge(
        'signalbox_runs',
        'Stored runs, by status.',
        [...runs].map(([status, value]) => ({ labels: { status }, value })),
      ),
      gauge(
        'signalbox_queue_jobs',
        'Jobs that wait, delayed ones included, by type.',
        Object.entries(jobs).map(([type, value]) => ({ labels: { type }, value })),
      ),
      gauge('signalbox_sse_connections', 'Open event streams.', [{ value: this.#streams }]),
      gauge(
        'signalbox_servers',
        'The state of each MCP server: 1 for the one it is in.',
        registry
          .servers()
          .map(({ name, state }) => ({ labels: { server: name, state }, value: 1 })),
      ),
      this.#runsEnded,
      this.#calls,
      this.#callSeconds,
      this.#turnSeconds,
      this.#requests,
      this.#requestSeconds,
    ];
    return families.map((family) => family.text()).join('');
  }
}
