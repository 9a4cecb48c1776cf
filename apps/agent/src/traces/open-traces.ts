import type { TraceSettings } from '../config/config.ts';
import type { Logger } from '../ports/logger.ts';
import type { Traces } from '../ports/traces.ts';
import type { RunEventBody } from '../run/core/events.ts';

/** Traces of the whole service. */
export interface ServiceTraces extends Traces {
  /** Called with the events of every commit of the engine. */
  record(runId: string, events: readonly RunEventBody[]): void;
  /** Ends the open spans and sends them. Takes at most 2 seconds and never rejects. */
  close(): Promise<void>;
}

/** Facts about the service for its spans. */
export interface TracedService {
  readonly version: string;
  /** Default model provider. */
  readonly provider: string;
  readonly logger: Logger;
}

/** Loads OpenTelemetry and starts the export. Without settings nothing is loaded. */
export async function openTraces(
  settings: TraceSettings | undefined,
  service: TracedService,
): Promise<ServiceTraces | undefined> {
  if (settings === undefined) return undefined;
  const { exportTraces } = await import('./otel/export-traces.ts');
  return exportTraces(settings, service);
}
