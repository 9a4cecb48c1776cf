import { createHash } from 'node:crypto';
import {
  ROOT_CONTEXT,
  trace,
  type Attributes,
  type Context,
  type Span,
  type SpanKind,
} from '@opentelemetry/api';
import { RandomIdGenerator, TracerProvider, type IdGenerator } from '@opentelemetry/sdk-trace';
import type { TracerProviderOptions } from '@opentelemetry/sdk-trace';

/** Name, kind and parent of a new span. */
export interface NewSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  /** Parent. Undefined: the span begins the trace of its run. */
  readonly parent: Context | undefined;
}

/** Starts spans of runs. The id of a trace depends on the run only, so that every process that works on a run continues its trace. */
export class SpanSource {
  readonly #ids = new RunIds();
  readonly #provider: TracerProvider;

  constructor(options: Omit<TracerProviderOptions, 'idGenerator'>) {
    this.#provider = new TracerProvider({ ...options, idGenerator: this.#ids });
  }

  start(runId: string, { name, kind, attributes, parent }: NewSpan): Span {
    this.#ids.runId = runId;
    return this.#provider
      .getTracer('signalbox')
      .startSpan(name, { kind, attributes }, parent ?? ROOT_CONTEXT);
  }

  /** Sends the ended spans. Rejects when they cannot be sent. */
  shutdown(): Promise<void> {
    return this.#provider.shutdown();
  }
}

/** Returns the context of the children of a span. */
export function under(span: Span): Context {
  return trace.setSpanContext(ROOT_CONTEXT, span.spanContext());
}

class RunIds implements IdGenerator {
  runId = '';
  readonly #random = new RandomIdGenerator();

  generateTraceId(): string {
    // The id itself would reveal the run to every server that gets the trace context.
    return createHash('sha256').update(this.runId).digest('hex').slice(0, 32);
  }

  generateSpanId(): string {
    return this.#random.generateSpanId();
  }
}
