import { parseArgs } from 'node:util';
import type { ConfigFlags } from '../config/load-config.ts';
import { UsageError } from './io.ts';

export const USAGE = `signalbox: runs agent tasks over the tools of MCP servers

Usage
  signalbox serve [options]             start the service
  signalbox run "task" [options]        run one task in this process and follow it
  signalbox demo [options]              run the demos unattended and check their answers
  signalbox inbox [show|answer] …       what waits for a person in a running service; see signalbox inbox --help
  signalbox tools approve SERVER …      approve changed tools of a server; see signalbox tools --help
  signalbox replay RUN [--data-dir DIR] take a settled run through the loop again and compare; see signalbox replay --help

Options
  --config FILE        signalbox.json; default: the one in the user's configuration folder
  --demo               add the demo servers: files of this repository, a shop database, made-up weather
  --server NAME        (run) only the tools of this server; may be repeated
  --port N             (serve) default 8020; 0 takes a free one
  --host ADDRESS       (serve) default 127.0.0.1
  --data-dir DIR       where runs are stored; default ./.signalbox
  --provider NAME      openai, anthropic or scripted; default: the one whose key is set
  --model ID           default: the provider's
  --base-url URL       an OpenAI- or Anthropic-compatible server
  --scenario FILE      scripts for the scripted provider
  --durability KIND    process (default) or power: survive the end of the process, or of the machine
  --log-level LEVEL    debug, info, warn or error; default info, for run and demo warn
  --log-format FORMAT  text (default) or json, one object a line
  --json               (run) print the events as JSON lines
  -h, --help, --version

Keys: OPENAI_API_KEY or ANTHROPIC_API_KEY, with OPENAI_BASE_URL or ANTHROPIC_BASE_URL for a compatible server.
Without a key the answers come from scripts, which know the demos only.
`;

export interface Arguments {
  readonly command: 'serve' | 'run' | 'demo' | 'help' | 'version';
  readonly prompt: string;
  readonly servers: readonly string[];
  readonly isDemo: boolean;
  readonly isJson: boolean;
  readonly flags: ConfigFlags;
}

const OPTIONS = {
  config: { type: 'string' },
  demo: { type: 'boolean' },
  server: { type: 'string', multiple: true },
  port: { type: 'string' },
  host: { type: 'string' },
  'data-dir': { type: 'string' },
  provider: { type: 'string' },
  model: { type: 'string' },
  'base-url': { type: 'string' },
  scenario: { type: 'string' },
  durability: { type: 'string' },
  'log-level': { type: 'string' },
  'log-format': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

const NO_TASK = 'run needs the task: signalbox run "…"';

/** @throws UsageError */
export function parseArguments(argv: readonly string[]): Arguments {
  const { values, positionals } = parse(argv);
  const [command, ...rest] = positionals;
  const known = values.help === true ? 'help' : values.version === true ? 'version' : commandOf(command);
  if (known === 'run' && rest.length !== 1) {
    throw new UsageError(rest.length === 0 ? NO_TASK : 'run takes one task; put it in quotes');
  }
  if (known === 'run' && rest[0]?.trim() === '') throw new UsageError(NO_TASK);
  if ((known === 'serve' || known === 'demo') && rest.length > 0) throw new UsageError(`${known} takes no "${rest[0]}"; see signalbox --help`);
  const ofRun = values.server !== undefined ? '--server' : values.json === true ? '--json' : undefined;
  if ((known === 'serve' || known === 'demo') && ofRun !== undefined) throw new UsageError(`${ofRun} is for run; ${known} does not take it`);
  return {
    command: known,
    prompt: rest[0] ?? '',
    servers: values.server ?? [],
    isDemo: values.demo === true || known === 'demo',
    isJson: values.json === true,
    flags: {
      config: values.config,
      host: values.host,
      port: values.port,
      dataDir: values['data-dir'],
      provider: values.provider,
      model: values.model,
      baseUrl: values['base-url'],
      scenario: values.scenario,
      durability: values.durability,
      logFormat: values['log-format'],
      logLevel: values['log-level'] ?? (known === 'serve' ? undefined : 'warn'),
    },
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : 'unknown option';
    throw new UsageError(`${reason}; see signalbox --help`);
  }
}

function commandOf(word: string | undefined): Arguments['command'] {
  if (word === undefined) return 'help';
  if (word === 'serve' || word === 'run' || word === 'demo') return word;
  throw new UsageError(`unknown command "${word}"; the commands are serve, run, demo, inbox, tools and replay`);
}
