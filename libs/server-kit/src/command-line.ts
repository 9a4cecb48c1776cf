import type { parseArgs, ParseArgsOptionsConfig } from 'node:util';
import { environmentOptions } from './environment-options.ts';
import { parseHttpAddress } from './http-address.ts';
import { LOG_LEVELS, type LogLevel } from './logger.ts';
import { choiceOption } from './option-values.ts';
import { UsageError } from './usage-error.ts';

/** What parseArgs returns for these options. */
export type ParsedValues<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{
    readonly options: Options;
    readonly strict: true;
    readonly allowPositionals: true;
  }>
>['values'];

export type CommandLine<Options extends ParseArgsOptionsConfig> =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'print-config';
      readonly args: readonly string[];
      readonly positionals: readonly string[];
      readonly env: { readonly [name: string]: string };
      readonly http: string | undefined;
    }
  | {
      readonly kind: 'start';
      readonly values: ParsedValues<Options>;
      readonly positionals: readonly string[];
      readonly logLevel: LogLevel;
      /** Of `--http`; over stdio without it. */
      readonly http: string | undefined;
      /** The variables that gave options, by the option. */
      readonly variables: ReadonlyMap<string, string>;
    };

export interface CommandLineInput {
  /** After the script's name. */
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Of the variables that may stand for options; without it there are none. */
  readonly envPrefix?: string | undefined;
}

/** What every server's usage ends with. */
export const commonUsage = `  --http [HOST:]PORT      serve Streamable HTTP at /mcp instead of stdin and stdout; HOST is 127.0.0.1 unless given, and another
                          one needs MCP_HTTP_TOKEN, which clients send as bearer token
  --log-level LEVEL       debug, info, warn or error, on stderr (default warn)
  --print-config          print the entry for a host's mcpServers that starts this server as it is called now
  --version               print the version
  -h, --help              print this text`;

const commonOptions = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  'print-config': { type: 'boolean' },
  'log-level': { type: 'string' },
  http: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

/**
 * Reads arguments and the variables that stand for options; an argument wins over the variable. `--help` wins over `--version`, and that over everything
 * else.
 * @throws UsageError for an unknown option, a missing value, or a value where none belongs.
 */
export function parseCommandLine<Options extends ParseArgsOptionsConfig>(
  options: Options,
  input: CommandLineInput,
): CommandLine<Options> {
  const { args, env = {}, envPrefix } = input;
  const known = { ...options, ...commonOptions };
  const given = parse(known, args);
  if (given.values['help'] === true) return { kind: 'help' };
  if (given.values['version'] === true) return { kind: 'version' };
  const settings =
    envPrefix === undefined
      ? []
      : environmentOptions(
          { ...options, 'log-level': commonOptions['log-level'], http: commonOptions.http },
          envPrefix,
          env,
        );
  const used = settings.filter(({ option }) => given.values[option] === undefined);
  const { values } = parse(known, [...used.flatMap((each) => each.args), ...args]);
  const variables = new Map(used.map(({ option, variable }) => [option, variable]));
  const http = typeof values['http'] === 'string' ? values['http'] : undefined;
  namingVariables(variables, () => http !== undefined && parseHttpAddress(http));
  if (values['print-config'] === true) {
    const settingsUsed = Object.fromEntries(
      used.map(({ variable }) => [variable, env[variable] ?? '']),
    );
    return {
      kind: 'print-config',
      args: args.filter((argument) => argument !== '--print-config'),
      positionals: given.positionals,
      env: settingsUsed,
      http,
    };
  }
  const logLevel = namingVariables(variables, () =>
    choiceOption(values, 'log-level', { choices: LOG_LEVELS, default: 'warn' }),
  );
  // The common options only add keys to what `Options` describes; a generic spread loses that.
  return {
    kind: 'start',
    values: values as ParsedValues<Options>,
    positionals: given.positionals,
    logLevel,
    http,
    variables,
  };
}

/** What `check` returns; where it refuses an option that a variable gave, the error names the variable. */
export function namingVariables<T>(variables: ReadonlyMap<string, string>, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw withVariable(variables, error);
  }
}

export function withVariable(variables: ReadonlyMap<string, string>, error: unknown): unknown {
  if (!(error instanceof UsageError)) return error;
  const [, option = ''] = /--([\w-]+)/.exec(error.message) ?? [];
  const variable = variables.get(option);
  return variable === undefined
    ? error
    : new UsageError(`${error.message} (from ${variable})`, { cause: error });
}

function parse(
  options: ParseArgsOptionsConfig,
  args: readonly string[],
): { values: { [name: string]: unknown }; positionals: string[] } {
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
