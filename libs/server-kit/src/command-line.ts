import type { parseArgs, ParseArgsOptionsConfig } from 'node:util';
import { authOptions, readAuthSettings, type AuthSettings } from './auth-options.ts';
import { environmentOptions } from './environment-options.ts';
import { parseHttpAddress } from './http-address.ts';
import { LOG_LEVELS, type LogLevel } from './logger.ts';
import { choiceOption } from './option-values.ts';
import { UsageError } from './usage-error.ts';

/** The values that parseArgs returns for these options. */
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
      readonly auth: AuthSettings | undefined;
    }
  | {
      readonly kind: 'start';
      readonly values: ParsedValues<Options>;
      readonly positionals: readonly string[];
      readonly logLevel: LogLevel;
      /** Value of `--http`; absent for stdio. */
      readonly http: string | undefined;
      readonly auth: AuthSettings | undefined;
      /** Environment variables that set options, by the name of the option. */
      readonly variables: ReadonlyMap<string, string>;
    };

export interface CommandLineInput {
  /** Arguments after the name of the script. */
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Prefix of the environment variables for options; without it there are none. */
  readonly envPrefix?: string | undefined;
}

/** The end of the usage text of every server. */
export const commonUsage = `  --http [HOST:]PORT      serve Streamable HTTP at /mcp instead of stdin and stdout; HOST defaults to 127.0.0.1,
                          any other HOST needs MCP_HTTP_TOKEN, which clients send as bearer token, or --auth-issuer
  --auth-issuer URL       with --http: accept access tokens of this OAuth authorization server
  --auth-audience TEXT    the audience that access tokens must have, usually the public URL of this server
  --auth-resource URL     public URL of this server, if the audience is another text
  --auth-scopes "A B"     scopes that every request needs
  --auth-client-id ID     ask the authorization server about each token, with the secret in MCP_AUTH_CLIENT_SECRET
  --auth-networks CIDRS   networks of the authorization server that are allowed although they are not public
  --log-level LEVEL       debug, info, warn or error, on stderr (default warn)
  --print-config          print the entry for a host's mcpServers that starts this server with these arguments
  --version               print the version
  -h, --help              print this text`;

const commonOptions = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  'print-config': { type: 'boolean' },
  'log-level': { type: 'string' },
  http: { type: 'string' },
  ...authOptions,
} as const satisfies ParseArgsOptionsConfig;

/**
 * Reads arguments and environment variables; an argument overrides the variable. `--help` takes
 * precedence over `--version`, and `--version` over everything else.
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
          {
            ...options,
            'log-level': commonOptions['log-level'],
            http: commonOptions.http,
            ...authOptions,
          },
          envPrefix,
          env,
        );
  const used = settings.filter(({ option }) => given.values[option] === undefined);
  const { values } = parse(known, [...used.flatMap((each) => each.args), ...args]);
  const variables = new Map(used.map(({ option, variable }) => [option, variable]));
  const http = typeof values['http'] === 'string' ? values['http'] : undefined;
  namingVariables(variables, () => http !== undefined && parseHttpAddress(http));
  const auth = namingVariables(variables, () => readAuthSettings(values));
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
      auth,
    };
  }
  const logLevel = namingVariables(variables, () =>
    choiceOption(values, 'log-level', { choices: LOG_LEVELS, default: 'warn' }),
  );
  // The common options only add keys; a generic spread loses the type of `Options`.
  return {
    kind: 'start',
    values: values as ParsedValues<Options>,
    positionals: given.positionals,
    logLevel,
    http,
    auth,
    variables,
  };
}

/**
 * Returns the result of `check`. When it rejects an option that a variable set, the error names the
 * variable.
 */
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
  // An import of `node:util` costs 3 MiB.
  const util = process.getBuiltinModule('node:util');
  try {
    return util.parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new UsageError(firstSentence(error), { cause: error });
  }
}

/** Returns the first sentence of an error of parseArgs, without its advice. */
function firstSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(/\. |\.?\n/, 1)[0] ?? message;
}
