import type { TestHooks } from '../app.ts';
import { ConfigError } from '../config/config.ts';
import { nearestName } from '../text/nearest-name.ts';
import { EngineError } from '../ports/run-engine.ts';
import { ReplayError } from '../replay/recording.ts';
import { StoreError } from '../store/store-error.ts';
import { terminalLine } from '../text/terminal-text.ts';
import type { CommandEntry, CommandContext } from './command-definition.ts';
import { COMMANDS } from './commands.ts';
import { EXIT, EXIT_CODES_HELP } from './exit-code.ts';
import { UsageError, type Io } from './io.ts';
import { ServiceError } from './service-error.ts';

export type { CommandContext } from './command-definition.ts';

/** Runs one command line; returns the exit code, one of `EXIT`. */
export async function runCommand(
  io: Io,
  context: CommandContext,
  hooks: TestHooks = {},
): Promise<number> {
  try {
    return await run(io, context, hooks);
  } catch (error) {
    const message = messageForPeople(error);
    if (message === undefined) throw error;
    io.err(`signalbox: ${terminalLine(message)}\n`);
    return error instanceof ServiceError ? EXIT.failed : EXIT.unusable;
  }
}

async function run(io: Io, context: CommandContext, hooks: TestHooks): Promise<number> {
  const [word, ...rest] = context.argv;
  if (word === undefined || word === '-h' || word === '--help') return show(io, generalHelp());
  if (word === '-v' || word === '-V' || word === '--version')
    return show(io, `${context.version}\n`);
  if (word === 'help')
    return show(
      io,
      rest[0] === undefined
        ? generalHelp()
        : (await commandNamed(rest[0]).load()).help(rest.slice(1)),
    );
  const command = await commandNamed(word).load();
  if (isHelpWanted(rest)) return show(io, command.help(rest));
  return command.run({ ...context, io, rest, hooks });
}

function show(io: Io, text: string): number {
  io.out(text);
  return EXIT.done;
}

function isHelpWanted(rest: readonly string[]): boolean {
  const end = rest.indexOf('--');
  return (end === -1 ? rest : rest.slice(0, end)).some(
    (word) => word === '-h' || word === '--help',
  );
}

function commandNamed(word: string): CommandEntry {
  const command = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  if (command !== undefined) return command;
  const names = Object.keys(COMMANDS);
  const nearest = nearestName(word, [...names, 'help']);
  const hint =
    nearest === undefined ? `the commands are ${names.join(', ')}` : `did you mean ${nearest}?`;
  throw new UsageError(
    word.startsWith('-')
      ? `unknown option "${word}" before a command; see signalbox --help`
      : `unknown command "${word}"; ${hint}`,
  );
}

function generalHelp(): string {
  const rows = Object.values(COMMANDS).map(
    ({ usage, summary }) => `  signalbox ${usage.padEnd(32)} ${summary}`,
  );
  return `signalbox: runs agent tasks with the tools of MCP servers

Usage
${rows.join('\n')}
  signalbox help [COMMAND]                   show the help of a command; also signalbox COMMAND --help
  signalbox --version                        show the version; also -v, -V

A task needs a model: set OPENAI_API_KEY or ANTHROPIC_API_KEY. Without a key, scripts answer, and they cover only the demos.

${EXIT_CODES_HELP}
`;
}

/** Returns the message of an error that the user can fix, and undefined for a defect of the program. */
function messageForPeople(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const isOurs =
    error instanceof UsageError ||
    error instanceof ConfigError ||
    error instanceof StoreError ||
    error instanceof EngineError ||
    error instanceof ServiceError ||
    error instanceof ReplayError;
  if (isOurs) return error.message;
  const { code, address, port, path } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
  };
  if (code === 'EADDRINUSE')
    return `port ${port} on ${address} is in use: stop the program that uses it, or choose another with --port (0 takes a free one)`;
  if (code === 'EACCES' && port !== undefined)
    return `port ${port} cannot be opened without more privileges: choose a port above 1023 with --port`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `the host ${address ?? ''} is not an address of this machine: check --host`;
  return path === undefined ? undefined : error.message;
}
