import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { AggregationTemporality, InstrumentType, MetricReader } from '@opentelemetry/sdk-metrics';

/**
 * Collects the metrics of a provider on demand, in the Prometheus text format.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export class PrometheusReader extends MetricReader {
  // No prefix of names, no timestamps, no labels or series of the resource and the scope.
  readonly #serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  #last: Promise<unknown> = Promise.resolve();

  constructor() {
    super({
      // A cumulative gauge would repeat each set of labels that was ever observed.
      aggregationTemporalitySelector: (type) =>
        type === InstrumentType.OBSERVABLE_GAUGE
          ? AggregationTemporality.DELTA
          : AggregationTemporality.CUMULATIVE,
      // The configuration limits the number of label sets, so none are merged.
      cardinalitySelector: () => Infinity,
    });
  }

  /** Returns the metrics. Rejects with the error of a gauge that cannot be read. */
  text(): Promise<string> {
    // A collection takes the observations of gauges away from a concurrent one.
    const text = this.#last.then(() => this.#collect());
    this.#last = text.catch(() => undefined);
    return text;
  }

  async #collect(): Promise<string> {
    const { resourceMetrics, errors } = await this.collect();
    if (errors.length > 0) throw errors[0];
    return this.#serializer.serialize(resourceMetrics);
  }

  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}
