/** The kind of marks of a chart. */
export type ChartType = 'bar' | 'line';

/** The drawing area and the positions of the values in it, in pixels. */
export interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Returns the vertical position of a value. */
  readonly y: (value: number) => number;
  /** The horizontal position of each label. */
  readonly x: readonly number[];
  /** Width of a category; 0 on a continuous axis. */
  readonly slot: number;
}

/** Colors that people with a color vision deficiency can tell apart. */
export const SERIES_COLORS = [
  '#4477aa',
  '#ee6677',
  '#228833',
  '#ccbb44',
  '#66ccee',
  '#aa3377',
  '#e08214',
  '#555555',
  '#8073ac',
  '#1b9e77',
] as const;

/** Rounds to two digits after the point. */
export function roundPixels(value: number): number {
  return Math.round(value * 100) / 100;
}
