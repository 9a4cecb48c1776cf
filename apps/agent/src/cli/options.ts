import { parseArgs } from 'node:util';
import { nearestName } from '../text/nearest-name.ts';
import { UsageError } from './io.ts';

interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  readonly short?: string;
  /** Placeholder of the value in help texts. */
  readonly value?: string;
  readonly help: string;
}

/** All options of the command line; each command takes some of them. */
export const OPTIONS = {
  config: {
    type: 'string',
    value: 'FILE',
    help: "signalbox.json, or the configuration of another MCP host; default: the one in the user's configuration folder",
  },
  strict: {
    type: 'boolean',
    help: 'refuse to start when a server of the configuration is invalid',
  },
  input: {
    type: 'string',
    multiple: true,
    value: 'ID=VALUE',
    help: 'value of ${input:ID} in the configuration; may be repeated',
  },
  demo: { type: 'boolean', help: 'add the demo servers: files, a shop database, made-up weather' },
  server: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    help: 'offer only the tools of this server; may be repeated',
  },
  yes: { type: 'boolean', help: 'approve every tool call that needs approval' },
  role: {
    type: 'string',
    value: 'ROLE',
    help: 'all (default), api or worker: several api and worker processes share a data directory',
  },
  'edit-servers': {
    type: 'string',
    value: 'KIND',
    help: 'servers that the REST API may change: off (default), remote, or all, which needs an API key',
  },
  port: { type: 'string', value: 'N', help: 'default 8020; 0 selects a free port' },
  host: { type: 'string', value: 'ADDRESS', help: 'default 127.0.0.1' },
  'data-dir': {
    type: 'string',
    value: 'DIR',
    help: 'folder of the database and artifacts; default ./.signalbox',
  },
  from: {
    type: 'string',
    value: 'DIR',
    help: 'data directory to copy; default $SIGNALBOX_DATA_DIR, else ./.signalbox',
  },
  to: {
    type: 'string',
    value: 'URL',
    help: 'address of the database; prefer $DATABASE_URL, which other users cannot read',
  },
  provider: {
    type: 'string',
    value: 'NAME',
    help: 'openai, anthropic or scripted; default: the provider whose key is set',
  },
  model: { type: 'string', value: 'ID', help: 'model id; the default depends on the provider' },
  'base-url': {
    type: 'string',
    value: 'URL',
    help: 'URL of an OpenAI- or Anthropic-compatible server',
  },
  scenario: { type: 'string', value: 'FILE', help: 'scripts for the scripted provider' },
  durability: {
    type: 'string',
    value: 'KIND',
    help: 'process (default): runs survive a crash of the process; power: a power failure, too',
  },
  'log-level': {
    type: 'string',
    value: 'LEVEL',
    help: 'debug, info, warn or error; default info for serve, else warn',
  },
  'log-format': {
    type: 'string',
    value: 'FORMAT',
    help: 'text (default) or json, one object per line',
  },
  all: { type: 'boolean', help: 'all of them' },
  device: { type: 'boolean', help: '(login) by a code that is entered on any device' },
  'no-browser': { type: 'boolean', help: '(login) print the address and open no browser' },
  json: { type: 'boolean', help: 'print JSON lines' },
  url: {
    type: 'string',
    value: 'URL',
    help: 'URL of the service; default $SIGNALBOX_URL, else http://127.0.0.1 and $SIGNALBOX_PORT or 8020',
  },
  token: {
    type: 'string',
    value: 'TOKEN',
    help: 'access token; prefer $SIGNALBOX_TOKEN, which other users cannot read',
  },
  help: { type: 'boolean', short: 'h', help: 'show this text' },
} as const satisfies { readonly [name: string]: OptionSpec };

export type OptionName = keyof typeof OPTIONS;

export const MODEL_OPTIONS = [
  'provider',
  'model',
  'base-url',
  'scenario',
] as const satisfies readonly OptionName[];
export const CONFIG_OPTIONS = [
  'config',
  'strict',
  'input',
] as const satisfies readonly OptionName[];
export const LOG_OPTIONS = ['log-level', 'log-format'] as const satisfies readonly OptionName[];
export const SERVICE_OPTIONS = ['url', 'token'] as const satisfies readonly OptionName[];

/** Parsed options; undefined when not given or not taken by the command. */
export type OptionValues = {
  readonly [N in OptionName]?: (typeof OPTIONS)[N] extends { readonly multiple: true }
    ? readonly string[]
    : (typeof OPTIONS)[N]['type'] extends 'string'
      ? string
      : boolean;
};

export interface ParsedOptions {
  readonly values: OptionValues;
  readonly positionals: readonly string[];
}

/** Parses the command line of `signalbox COMMAND`. @throws UsageError for an option that the command does not take */
export function parseOptions(
  command: string,
  argv: readonly string[],
  taken: readonly OptionName[],
): ParsedOptions {
  const names: readonly OptionName[] = [...taken, 'help'];
  const options = Object.fromEntries(names.map((name) => [name, OPTIONS[name]]));
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
      strict: true,
    });
    return { values, positionals };
  } catch (error) {
    throw new UsageError(
      `${problemOf(error, { command, names })}; see signalbox ${command} --help`,
      { cause: error },
    );
  }
}

function problemOf(
  error: unknown,
  { command, names }: { readonly command: string; readonly names: readonly OptionName[] },
): string {
  const message = error instanceof Error ? (error.message.split('. ')[0] ?? '') : 'unknown option';
  const unknown = /^Unknown option '-*([^']+)'/.exec(message)?.[1];
  if (unknown === undefined) return message;
  if (Object.hasOwn(OPTIONS, unknown))
    return `--${unknown} is not an option of signalbox ${command}`;
  const nearest = nearestName(unknown, names);
  return nearest === undefined ? message : `${message}; did you mean --${nearest}?`;
}

/** Returns the lines of a help text about these options. */
export function optionsHelp(
  names: readonly OptionName[],
  only: { readonly [N in OptionName]?: string } = {},
): string {
  const rows = [...names, 'help' as const].map((name) => {
    const spec: OptionSpec = OPTIONS[name];
    const left = `${spec.short === undefined ? '' : `-${spec.short}, `}--${name}${spec.value === undefined ? '' : ` ${spec.value}`}`;
    return `  ${left.padEnd(22)} ${only[name] ?? spec.help}`;
  });
  return ['Options', ...rows].join('\n');
}
