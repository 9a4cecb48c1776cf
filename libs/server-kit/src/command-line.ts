import type { parseArgs, ParseArgsOptionsConfig } from 'node:util';
import { LOG_LEVELS, type LogLevel } from './logger.ts';
import { choiceOption } from './option-values.ts';
import { UsageError } from './usage-error.ts';

/** What parseArgs returns for these options. */
export type ParsedValues<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ readonly options: Options; readonly strict: true; readonly allowPositionals: true }>
>['values'];

export type CommandLine<Options extends ParseArgsOptionsConfig> =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'start';
      readonly values: ParsedValues<Options>;
      readonly positionals: readonly string[];
      readonly logLevel: LogLevel;
    };

/**
 * Reads the arguments after the script's name. `--help`, `--version` and `--log-level` are known for every server; `--help` wins.
 * @throws UsageError for an unknown option, a missing value, or a value where none belongs.
 */
export function parseCommandLine<Options extends ParseArgsOptionsConfig>(options: Options, args: readonly string[]): CommandLine<Options> {
  const { values, positionals } = parse({ ...options, ...commonOptions }, args);
  if (values['help'] === true) return { kind: 'help' };
  if (values['version'] === true) return { kind: 'version' };
  const logLevel = choiceOption(values, 'log-level', { choices: LOG_LEVELS, default: 'warn' });
  // The common options only add keys to what `Options` describes; a generic spread loses that.
  return { kind: 'start', values: values as ParsedValues<Options>, positionals, logLevel };
}

const commonOptions = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  'log-level': { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

function parse(options: ParseArgsOptionsConfig, args: readonly string[]): { values: { [name: string]: unknown }; positionals: string[] } {
  // The import of `node:util` loads all that it can do, for 3 MiB.
  const util = process.getBuiltinModule('node:util');
  try {
    return util.parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new UsageError(firstSentence(error), { cause: error });
  }
}

/** parseArgs adds advice after the first sentence or line; the problem itself is all a one-line message needs. */
function firstSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(/\. |\.?\n/, 1)[0] ?? message;
}
