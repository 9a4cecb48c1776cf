import { APP_OPTIONS, parseAppArguments, type AppCommandName } from './app-arguments.ts';
import type { Command } from './command-definition.ts';
import { EXIT_CODES_HELP } from './exit-code.ts';
import { optionsHelp } from './options.ts';

const HELP: { readonly [C in AppCommandName]: string } = {
  serve: `signalbox serve [DIR]: starts the service

  DIR                    adds the filesystem server for this folder`,
  run: `signalbox run TASK: runs one task in this process and follows it

The answer goes to stdout, everything else to stderr. Approvals and other user input are requested at the terminal.

  TASK                   the task, in quotes; - reads it from stdin`,
  demo: `signalbox demo [DIR]: runs the demos and checks their answers

One demo asks for an approval at the terminal. Without a terminal the demo answers it.

  DIR                    folder of the filesystem server; default: the repository in a checkout, else the current folder`,
};

/** Help of the options that mean something else in a command whose runs are in a temporary folder. */
const OPTION_HELP = {
  serve: {},
  run: { 'data-dir': 'folder of the database of --demo; default ./.signalbox' },
  demo: { 'data-dir': 'folder of the demo database; default ./.signalbox' },
} as const;

const KEYS = `Keys: OPENAI_API_KEY or ANTHROPIC_API_KEY, with OPENAI_BASE_URL or ANTHROPIC_BASE_URL for a compatible server.
Without a key, scripts answer, and they cover only the demos.`;

/**
 * Returns a command that starts its own service. The service is loaded once the command line is
 * valid.
 */
export function appCommand(command: AppCommandName): Command {
  return {
    help: () =>
      `${[HELP[command], optionsHelp(APP_OPTIONS[command], OPTION_HELP[command]), KEYS, EXIT_CODES_HELP].join('\n\n')}\n`,
    async run(invocation) {
      const parsed = parseAppArguments(command, invocation.rest);
      const { runWithApp } = await import('./run-with-app.ts');
      return runWithApp(parsed, invocation);
    },
  };
}
