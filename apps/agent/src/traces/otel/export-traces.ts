import { randomUUID } from 'node:crypto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { SamplerSetting, TraceSettings } from '../../config/config.ts';
import type { TracedService } from '../open-traces.ts';
import { LoggedExporter } from './logged-exporter.ts';
import { OtelTraces } from './otel-traces.ts';
import { SpanSource } from './span-source.ts';

/** Characters of an attribute; longer values are cut. */
const MAX_VALUE_CHARACTERS = 256;

/**
 * Starts the export of traces, in batches of at most 512 spans every 5 seconds. At most 2,048 spans
 * wait; further ones are dropped.
 */
export async function exportTraces(
  settings: TraceSettings,
  { version, provider, logger }: TracedService,
): Promise<OtelTraces> {
  const exporter = new LoggedExporter(await exporterFor(settings), logger, settings.url);
  const own = { 'service.name': 'signalbox', 'service.version': version };
  return new OtelTraces(
    new SpanSource({
      sampler: samplerFor(settings.sampler),
      resource: defaultResource()
        .merge(resourceFromAttributes({ ...own, 'service.instance.id': randomUUID() }))
        .merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BatchSpanProcessor({ exporter })],
      spanLimits: { attributeValueLengthLimit: MAX_VALUE_CHARACTERS },
    }),
    provider,
  );
}

async function exporterFor({ url, protocol, timeoutMs }: TraceSettings): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter({ url, timeoutMillis: timeoutMs });
}

function samplerFor({ root, ratio, isParentBased }: SamplerSetting): Sampler {
  const sampler = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }[root]();
  return isParentBased ? new ParentBasedSampler({ root: sampler }) : sampler;
}
