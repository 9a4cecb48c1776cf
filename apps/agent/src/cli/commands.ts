import { appCommand } from './app-command.ts';
import type { CommandDefinition } from './command-definition.ts';
import { inboxCommand } from './inbox-command.ts';
import { replayCommand } from './replay-command.ts';
import {
  callCommand,
  cancelCommand,
  followCommand,
  runsCommand,
  serversCommand,
} from './service-commands.ts';
import { toolsCommand } from './tools-command.ts';

/** The commands by name, in the order of the help. */
export const COMMANDS: { readonly [name: string]: CommandDefinition } = {
  serve: appCommand('serve', { usage: 'serve [DIR] [options]', summary: 'start the service' }),
  run: appCommand('run', {
    usage: 'run TASK [options]',
    summary: 'run one task in this process and follow it',
  }),
  demo: appCommand('demo', {
    usage: 'demo [DIR] [options]',
    summary: 'run the demos unattended and check their answers',
  }),
  inbox: inboxCommand,
  runs: runsCommand,
  follow: followCommand,
  cancel: cancelCommand,
  servers: serversCommand,
  tools: toolsCommand,
  call: callCommand,
  replay: replayCommand,
};
