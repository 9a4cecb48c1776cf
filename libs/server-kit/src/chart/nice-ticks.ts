/** The ticks of an axis. */
export interface Ticks {
  /** The first and the last tick, which enclose all values. */
  readonly min: number;
  readonly max: number;
  readonly values: readonly number[];
  /** Returns the label of a tick. */
  readonly format: (value: number) => string;
}

const STEPS = [1, 2, 2.5, 5, 10] as const;
const MAX_INTERVALS = 7;
/** Largest value on an axis: beyond it the ticks would overflow. */
const MAX_VALUE = 1e300;
/** Smallest range of an axis in relation to its values: numbers cannot tell closer ticks apart. */
const MIN_RELATIVE_RANGE = 1e-9;

/**
 * Returns ticks at round numbers, at most nine, that enclose `low` to `high`, within ±1e300. Ends
 * that are equal, or nearly so, are widened.
 */
export function niceTicks(low: number, high: number): Ticks {
  const [from, to] = axisRange(clamp(low), clamp(high));
  const rough = (to - from) / MAX_INTERVALS;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const factor = STEPS.find((step) => step * magnitude >= rough * (1 - 1e-9)) ?? 10;
  const step = factor * magnitude;
  const first = Math.floor(from / step + 1e-9);
  const last = Math.ceil(to / step - 1e-9);
  const values = Array.from({ length: last - first + 1 }, (_, index) =>
    cleanNumber((first + index) * step),
  );
  return {
    min: values[0] ?? from,
    max: values.at(-1) ?? to,
    values,
    format: tickFormat(step, Math.max(Math.abs(from), Math.abs(to))),
  };
}

function clamp(value: number): number {
  return Math.min(Math.max(value, -MAX_VALUE), MAX_VALUE);
}

function axisRange(low: number, high: number): readonly [number, number] {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > largest * MIN_RELATIVE_RANGE) return [low, high];
  const room = low === high ? largest / 2 || 1 : largest * MIN_RELATIVE_RANGE;
  return [low - room, high + room];
}

/** Removes the rounding error of a multiple of a round step. */
function cleanNumber(value: number): number {
  return Number(value.toPrecision(12));
}

function tickFormat(step: number, largest: number): (value: number) => string {
  if (largest >= 1e15 || step < 1e-6)
    return (value) => (value === 0 ? '0' : value.toExponential(2).replace(/\.?0*e\+?/, 'e'));
  const unit = largest >= 1e9 ? 1e9 : largest >= 1e6 ? 1e6 : 1;
  const suffix = unit === 1e9 ? 'B' : unit === 1e6 ? 'M' : '';
  const digits = Math.max(
    0,
    Math.ceil(-Math.log10(step / unit) - 1e-9) + (isQuarter(step) ? 1 : 0),
  );
  const format = new Intl.NumberFormat('en', { maximumFractionDigits: Math.min(digits, 12) });
  return (value) => (value === 0 ? '0' : `${format.format(value / unit)}${suffix}`);
}

/** Whether the step is 2.5 times a power of ten, and so needs another digit. */
function isQuarter(step: number): boolean {
  return step.toExponential().startsWith('2.5');
}
