/** Results of one measurement, by name of the figure. `NaN` if this system cannot measure it. */
export type Figures = Readonly<Record<string, number>>;

/** Figures by the key of the table they belong to. */
export type FiguresByTable = Readonly<Record<string, Figures>>;

export interface Work {
  /** Elapsed milliseconds. */
  readonly elapsedMs: number;
  /** CPU time of the process under measurement, user and system. */
  readonly cpuMicros: number;
  readonly operations: number;
}

export function perOperation({ elapsedMs, cpuMicros, operations }: Work): Figures {
  return { cpuMicros: cpuMicros / operations, perSecond: (operations / elapsedMs) * 1000 };
}

/** Returns the median; the mean of the two middle values for an even count, NaN for no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (
    ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
  );
}
