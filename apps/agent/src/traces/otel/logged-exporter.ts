import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../../ports/logger.ts';
import { messageOf } from '../../text/error-text.ts';

/** Logs the first failed export of a series and its end, and passes spans on. */
export class LoggedExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #logger: Logger;
  readonly #url: string;
  /** Spans lost since the last success. */
  #lost = 0;

  constructor(exporter: SpanExporter, logger: Logger, url: string) {
    this.#exporter = exporter;
    this.#logger = logger;
    this.#url = url;
  }

  export(spans: ReadableSpan[], onResult: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      this.#log(result, spans.length);
      onResult(result);
    });
  }

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #log({ code, error }: ExportResult, spans: number): void {
    const before = this.#lost;
    if (code === ExportResultCode.SUCCESS) {
      this.#lost = 0;
      if (before > 0)
        this.#logger.info('traces are sent again', { url: this.#url, lost_spans: before });
      return;
    }
    this.#lost += spans;
    if (before === 0)
      this.#logger.warn('traces could not be sent; runs are not affected', {
        url: this.#url,
        reason: error === undefined ? 'unknown' : messageOf(error),
      });
  }
}
