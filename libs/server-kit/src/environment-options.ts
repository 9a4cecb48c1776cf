import type { ParseArgsOptionsConfig } from 'node:util';
import { UsageError } from './usage-error.ts';

/** An option that was given by an environment variable. */
export interface EnvironmentOption {
  readonly option: string;
  readonly variable: string;
  /** As it would stand on the command line. */
  readonly args: readonly string[];
}

/** The variable of an option: `MCP_FS` and `max-entries` make `MCP_FS_MAX_ENTRIES`. */
export function variableOf(prefix: string, option: string): string {
  return `${prefix}_${option.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * The options that environment variables give. An empty variable gives nothing; a switch is `true` or `false` (or 1, 0); the values of an option that may be
 * repeated stand on lines of their own or between semicolons.
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
