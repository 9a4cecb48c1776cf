import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace';
import { OtelTraces } from '../otel/otel-traces.ts';
import { SpanSource } from '../otel/span-source.ts';

/** Traces whose ended spans are kept in memory. */
export interface RecordedTraces {
  readonly traces: OtelTraces;
  /** Returns the ended spans, in the order of their ends. */
  readonly spans: () => readonly ReadableSpan[];
  /** Returns the only ended span of a name. */
  readonly span: (name: string) => ReadableSpan;
  /** Returns the names of the ended spans, as paths from the root: `run/turn/chat m`. */
  readonly paths: () => readonly string[];
}

export function recordTraces(): RecordedTraces {
  const exporter = new InMemorySpanExporter();
  const source = new SpanSource({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  const pathOf = ({ name, parentSpanContext }: ReadableSpan): string => {
    const parent = spans().find((each) => each.spanContext().spanId === parentSpanContext?.spanId);
    return parent === undefined ? name : `${pathOf(parent)}/${name}`;
  };
  return {
    traces: new OtelTraces(source, 'scripted'),
    spans,
    span: (name) => {
      const [span, ...more] = spans().filter((each) => each.name === name);
      if (span === undefined || more.length > 0)
        throw new Error(
          `not one span is named ${name}: ${spans()
            .map((each) => each.name)
            .join()}`,
        );
      return span;
    },
    paths: () => spans().map(pathOf).toSorted(),
  };
}

/** Returns all that a collector would see of spans. */
export function textOf(spans: readonly ReadableSpan[]): string {
  return JSON.stringify(
    spans.map(({ name, attributes, events, links, status, resource }) => ({
      name,
      attributes,
      events,
      links,
      status,
      resource: resource.attributes,
    })),
  );
}
