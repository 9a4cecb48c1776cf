import type { ParseArgsOptionsConfig } from 'node:util';
import { UsageError } from './usage-error.ts';

/** An option that an environment variable set. */
export interface EnvironmentOption {
  readonly option: string;
  readonly variable: string;
  /** The equivalent arguments on the command line. */
  readonly args: readonly string[];
}

/** Returns the variable of an option: `MCP_FS_MAX_ENTRIES` for `MCP_FS` and `max-entries`. */
export function variableOf(prefix: string, option: string): string {
  return `${prefix}_${option.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * Returns the options that environment variables set. An empty variable sets nothing; a switch is
 * `true` or `false` (or 1, 0); lines or semicolons separate the values of an option that may be
 * repeated.
 * @throws UsageError for a switch that is neither
 */
export function environmentOptions(
  options: ParseArgsOptionsConfig,
  prefix: string,
  env: NodeJS.ProcessEnv,
): readonly EnvironmentOption[] {
  return Object.entries(options).flatMap(([option, { type, multiple }]) => {
    const variable = variableOf(prefix, option);
    const value = env[variable];
    if (value === undefined || value === '') return [];
    if (type === 'boolean')
      return isOn(variable, value) ? [{ option, variable, args: [`--${option}`] }] : [];
    const values =
      multiple === true ? value.split(/[;\n]/).filter((each) => each.trim() !== '') : [value];
    return [{ option, variable, args: values.map((each) => `--${option}=${each}`) }];
  });
}

function isOn(variable: string, value: string): boolean {
  if (/^(?:1|true)$/i.test(value)) return true;
  if (/^(?:0|false)$/i.test(value)) return false;
  throw new UsageError(`${variable} must be true or false, not ${JSON.stringify(value)}`);
}
