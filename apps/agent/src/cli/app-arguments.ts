import type { ConfigFlags } from '../config/load-config.ts';
import { UsageError } from './io.ts';
import {
  CONFIG_OPTIONS,
  LOG_OPTIONS,
  MODEL_OPTIONS,
  parseOptions,
  type OptionName,
  type OptionValues,
} from './options.ts';

export type AppCommandName = 'serve' | 'run' | 'demo';

/** Options of the commands that start a service. */
export const APP_OPTIONS: { readonly [C in AppCommandName]: readonly OptionName[] } = {
  serve: [
    ...CONFIG_OPTIONS,
    'role',
    'demo',
    'port',
    'host',
    'data-dir',
    ...MODEL_OPTIONS,
    'durability',
    'edit-servers',
    ...LOG_OPTIONS,
  ],
  run: [
    ...CONFIG_OPTIONS,
    'demo',
    'server',
    'yes',
    'json',
    'data-dir',
    ...MODEL_OPTIONS,
    ...LOG_OPTIONS,
  ],
  demo: [...CONFIG_OPTIONS, 'json', 'data-dir', ...MODEL_OPTIONS, ...LOG_OPTIONS],
};

export interface AppArguments {
  readonly command: AppCommandName;
  /** The task; `-` is stdin. Empty but for `run`. */
  readonly prompt: string;
  /** Folder that the filesystem server serves. */
  readonly directory: string | undefined;
  /** Names of servers. */
  readonly servers: readonly string[];
  readonly isDemo: boolean;
  readonly isJson: boolean;
  /** Whether tool calls are approved without asking. */
  readonly isYes: boolean;
  readonly flags: ConfigFlags;
}

const NO_TASK = 'run needs a task: signalbox run "…", or signalbox run - to read it from stdin';

/** Parses the words after `signalbox serve`, `run` or `demo`. @throws UsageError */
export function parseAppArguments(command: AppCommandName, argv: readonly string[]): AppArguments {
  const { values, positionals } = parseOptions(command, argv, APP_OPTIONS[command]);
  const [first, second] = positionals;
  if (command === 'run' && (first === undefined || first.trim() === ''))
    throw new UsageError(NO_TASK);
  if (second !== undefined)
    throw new UsageError(
      command === 'run'
        ? 'run takes one task; put it in quotes'
        : `${command} takes one folder, not also "${second}"; see signalbox ${command} --help`,
    );
  return {
    command,
    prompt: command === 'run' ? (first ?? '') : '',
    directory: command === 'run' ? undefined : first,
    servers: values.server ?? [],
    isDemo: values.demo === true || command === 'demo',
    isJson: values.json === true,
    isYes: values.yes === true,
    flags: flagsOf(command, values),
  };
}

function flagsOf(command: AppCommandName, values: OptionValues): ConfigFlags {
  return {
    config: values.config,
    isStrict: values.strict === true,
    inputs: inputsOf(values.input ?? []),
    host: values.host,
    port: values.port,
    role: values.role,
    dataDir: values['data-dir'],
    provider: values.provider,
    model: values.model,
    baseUrl: values['base-url'],
    scenario: values.scenario,
    durability: values.durability,
    editServers: values['edit-servers'],
    logFormat: values['log-format'],
    logLevel: values['log-level'] ?? (command === 'serve' ? undefined : 'warn'),
  };
}

function inputsOf(given: readonly string[]): { readonly [id: string]: string } {
  return Object.fromEntries(
    given.map((pair) => {
      const [, id, value] = /^([^=]+)=([^]*)$/.exec(pair) ?? [];
      if (id === undefined || value === undefined)
        throw new UsageError('--input must have the form ID=VALUE');
      return [id, value];
    }),
  );
}
