/** Label values by name. Each combination is a series. */
export type Labels = { readonly [name: string]: string };

/**
 * A metric with all its series in the Prometheus text format.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export interface MetricFamily {
  text(): string;
}

/** A monotonic counter. */
export class Counter implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #series = new Map<string, number>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Labels = {}, by = 1): void {
    const key = labelText(labels);
    this.#series.set(key, (this.#series.get(key) ?? 0) + by);
  }

  text(): string {
    return familyText(
      { name: this.#name, help: this.#help, type: 'counter' },
      [...this.#series].map(([labels, value]) => `${this.#name}${labels} ${value}`),
    );
  }
}

/** A histogram of durations in seconds. */
export class Histogram implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series = new Map<
    string,
    { readonly labels: Labels; readonly counts: number[]; sum: number; count: number }
  >();

  /** Creates a histogram. `bounds`: ascending upper bounds of the buckets. */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
  }

  observe(seconds: number, labels: Labels = {}): void {
    const key = labelText(labels);
    const series = this.#series.get(key) ?? {
      labels,
      counts: this.#bounds.map(() => 0),
      sum: 0,
      count: 0,
    };
    this.#series.set(key, series);
    for (const [index, bound] of this.#bounds.entries())
      if (seconds <= bound) series.counts[index] = (series.counts[index] ?? 0) + 1;
    series.sum += seconds;
    series.count += 1;
  }

  text(): string {
    const lines = [...this.#series.values()].flatMap(({ labels, counts, sum, count }) => [
      ...this.#bounds.map(
        (bound, index) =>
          `${this.#name}_bucket${labelText({ ...labels, le: String(bound) })} ${counts[index]}`,
      ),
      `${this.#name}_bucket${labelText({ ...labels, le: '+Inf' })} ${count}`,
      `${this.#name}_sum${labelText(labels)} ${sum}`,
      `${this.#name}_count${labelText(labels)} ${count}`,
    ]);
    return familyText({ name: this.#name, help: this.#help, type: 'histogram' }, lines);
  }
}

export interface GaugeValue {
  readonly labels?: Labels;
  readonly value: number;
}

/** Creates a gauge whose values are read on demand. */
export function gauge(name: string, help: string, values: readonly GaugeValue[]): MetricFamily {
  return {
    text: () =>
      familyText(
        { name, help, type: 'gauge' },
        values.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`),
      ),
  };
}

function familyText(
  { name, help, type }: { readonly name: string; readonly help: string; readonly type: string },
  lines: readonly string[],
): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
