import { APP_OPTIONS, parseAppArguments, type AppCommandName } from './app-arguments.ts';
import type { Command } from './command-definition.ts';
import { EXIT_CODES_HELP } from './exit-code.ts';
import { optionsHelp } from './options.ts';

const HELP: { readonly [C in AppCommandName]: string } = {
  serve: `signalbox serve [DIR]: starts the service

  DIR                    adds the file server, for this folder`,
  run: `signalbox run TASK: runs one task in this process and follows it

The answer goes to stdout, everything else to stderr. What needs a person is asked at the terminal.

  TASK                   the task, in quotes; - reads it from stdin`,
  demo: `signalbox demo [DIR]: runs the demos unattended and checks their answers

  DIR                    the folder that the file server reads; default: the repository, or this folder`,
};

const KEYS = `Keys: OPENAI_API_KEY or ANTHROPIC_API_KEY, with OPENAI_BASE_URL or ANTHROPIC_BASE_URL for a compatible server.
Without a key the answers come from scripts, which know the demos only.`;

/** Returns a command that has a service of its own, which is loaded when the command line is valid. */
export function appCommand(command: AppCommandName): Command {
  return {
    help: () =>
      `${[HELP[command], optionsHelp(APP_OPTIONS[command]), KEYS, EXIT_CODES_HELP].join('\n\n')}\n`,
    async run(invocation) {
      const parsed = parseAppArguments(command, invocation.rest);
      const { runWithApp } = await import('./run-with-app.ts');
      return runWithApp(parsed, invocation);
    },
  };
}
