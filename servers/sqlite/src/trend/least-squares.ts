/** A straight line through values at 0, 1, 2, …. */
export interface Line {
  readonly slope: number;
  readonly at: (position: number) => number;
  /** Returns the standard error of a prediction in relation to that of the values. */
  readonly spread: (position: number) => number;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** Fits a straight line by least squares; a horizontal one through fewer than two values. */
export function fitLine(values: readonly number[]): Line {
  const count = values.length;
  const center = (count - 1) / 2;
  const level = mean(values);
  const squares = (count * (count * count - 1)) / 12;
  const products = values.reduce(
    (sum, value, index) => sum + (index - center) * (value - level),
    0,
  );
  const slope = squares === 0 ? 0 : products / squares;
  return {
    slope,
    at: (position) => level + slope * (position - center),
    spread: (position) =>
      Math.sqrt(1 + 1 / count + (squares === 0 ? 0 : (position - center) ** 2 / squares)),
  };
}
