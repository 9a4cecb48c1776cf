import { UsageError } from './usage-error.ts';

/** Parsed options by their long names, as `node:util` parseArgs returns them. */
export interface OptionValues {
  readonly [name: string]: unknown;
}

/** Range and default of a numeric option. */
export interface IntegerRange {
  readonly min: number;
  readonly max: number;
  /** Value of an option that was not given. */
  readonly default: number;
}

/**
 * Returns the whole number of a string option.
 * @throws UsageError that names the option, the value and the range.
 */
export function integerOption(values: OptionValues, name: string, range: IntegerRange): number {
  const given = values[name];
  if (given === undefined) return range.default;
  const number = typeof given === 'string' && /^[+-]?\d+$/.test(given) ? Number(given) : Number.NaN;
  if (number >= range.min && number <= range.max) return number;
  throw new UsageError(
    `--${name} must be a whole number from ${range.min} to ${range.max}, not ${quote(given)}`,
  );
}

/** Allowed values of an option and its default. */
export interface Choice<Value extends string> {
  readonly choices: readonly Value[];
  /** Value of an option that was not given. */
  readonly default: Value;
}

/**
 * Returns the value of a string option that allows only `choices`.
 * @throws UsageError that names the option, the value and the choices.
 */
export function choiceOption<const Value extends string>(
  values: OptionValues,
  name: string,
  choice: Choice<Value>,
): Value {
  const given = values[name];
  if (given === undefined) return choice.default;
  const chosen = choice.choices.find((value) => value === given);
  if (chosen !== undefined) return chosen;
  throw new UsageError(
    `--${name} must be one of ${choice.choices.join(', ')}, not ${quote(given)}`,
  );
}

function quote(value: unknown): string {
  return JSON.stringify(value);
}
