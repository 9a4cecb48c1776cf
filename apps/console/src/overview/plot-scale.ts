/** Returns the smallest of 1, 2, 2.5 and 5 times a power of ten that is at least a value; 1 for 0. */
export function niceMax(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= value * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** A value of a plot; undefined where nothing was measured. */
export type PlotValue = number | undefined;

/** Returns the sums of series at each position: the tops of stacked bars. */
export function stackTops(series: readonly (readonly PlotValue[])[]): readonly number[] {
  const length = Math.max(0, ...series.map((values) => values.length));
  return Array.from({ length }, (_none, index) =>
    series.reduce((sum, values) => sum + (values[index] ?? 0), 0),
  );
}

/**
 * Returns an SVG path through values, in a box of width 1 for each value and height 100, with its origin at the top. A value
 * without neighbors becomes a line of no length, which round ends make a dot.
 */
export function linePath(values: readonly PlotValue[], max: number): string {
  return values
    .map((value, index) => {
      if (value === undefined) return '';
      const point = `${round(index + 0.5)} ${round(100 - (value / max) * 100)}`;
      if (values[index - 1] !== undefined) return `L${point}`;
      return values[index + 1] === undefined ? `M${point}L${point}` : `M${point}`;
    })
    .join('');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
