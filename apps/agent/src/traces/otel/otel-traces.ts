import {
  ROOT_CONTEXT,
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { SentCall, TraceContext } from '../../ports/traces.ts';
import type { RunEventBody, RunEventType } from '../../run/core/events.ts';
import type { ServiceTraces } from '../open-traces.ts';
import { RunTrace } from './run-trace.ts';
import { under, type SpanSource } from './span-source.ts';

/** Runs whose spans are kept at once. The oldest is ended before another begins. */
const MAX_RUNS = 10_000;

/** Milliseconds in which the last spans are sent. */
const CLOSE_MS = 2000;

/** Events with which this process can begin or continue a run. */
const BEGINNINGS: ReadonlySet<RunEventType> = new Set(['run.queued', 'run.started', 'run.resumed']);

/** Converts the events of runs into OpenTelemetry spans. */
export class OtelTraces implements ServiceTraces {
  readonly #source: SpanSource;
  readonly #provider: string;
  readonly #runs = new Map<string, RunTrace>();
  readonly #propagator = new W3CTraceContextPropagator();

  /** `provider`: default model provider of the service. */
  constructor(source: SpanSource, provider: string) {
    this.#source = source;
    this.#provider = provider;
  }

  runRequested(runId: string, parent: TraceContext): void {
    const context = this.#propagator.extract(ROOT_CONTEXT, parent, defaultTextMapGetter);
    if (trace.getSpanContext(context) !== undefined && !this.#runs.has(runId))
      this.#add(runId, context);
  }

  record(runId: string, events: readonly RunEventBody[]): void {
    const run = this.#runs.get(runId) ?? this.#begun(runId, events);
    run?.record(events);
    if (run?.isOver === true) this.#runs.delete(runId);
  }

  callSent(call: SentCall): TraceContext {
    const { runId } = call;
    const run = this.#runs.get(runId) ?? this.#add(runId);
    const carrier: { traceparent: string; tracestate?: string } = { traceparent: '' };
    this.#propagator.inject(under(run.callSent(call)), carrier, defaultTextMapSetter);
    return carrier;
  }

  async close(): Promise<void> {
    for (const run of this.#runs.values()) run.interrupt();
    this.#runs.clear();
    const { promise: isLate, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_MS);
    // The exporter has logged why spans could not be sent.
    await Promise.race([this.#source.shutdown().catch(() => undefined), isLate]);
    clearTimeout(timer);
  }

  #begun(runId: string, events: readonly RunEventBody[]): RunTrace | undefined {
    return events.some(({ type }) => BEGINNINGS.has(type)) ? this.#add(runId) : undefined;
  }

  #add(runId: string, parent?: Context): RunTrace {
    const [oldest] = this.#runs;
    if (oldest !== undefined && this.#runs.size >= MAX_RUNS) {
      oldest[1].interrupt();
      this.#runs.delete(oldest[0]);
    }
    const run = new RunTrace(runId, this.#source, { provider: this.#provider, parent });
    this.#runs.set(runId, run);
    return run;
  }
}
