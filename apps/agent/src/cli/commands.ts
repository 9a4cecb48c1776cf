import type { CommandEntry } from './command-definition.ts';

/** The commands by name, in the order of the help. */
export const COMMANDS: { readonly [name: string]: CommandEntry } = {
  serve: {
    usage: 'serve [DIR] [options]',
    summary: 'start the service',
    load: async () => (await import('./app-command.ts')).appCommand('serve'),
  },
  run: {
    usage: 'run TASK [options]',
    summary: 'run one task in this process and follow it',
    load: async () => (await import('./app-command.ts')).appCommand('run'),
  },
  demo: {
    usage: 'demo [DIR] [options]',
    summary: 'run the demos and check their answers',
    load: async () => (await import('./app-command.ts')).appCommand('demo'),
  },
  inbox: {
    usage: 'inbox [show|answer] [options]',
    summary: 'list and answer the inbox items of a running service',
    load: async () => (await import('./inbox-command.ts')).inboxCommand,
  },
  runs: {
    usage: 'runs [options]',
    summary: 'list the runs of a running service',
    load: async () => (await import('./service-commands.ts')).runsCommand,
  },
  follow: {
    usage: 'follow ID [options]',
    summary: 'follow a run of a running service to its end',
    load: async () => (await import('./service-commands.ts')).followCommand,
  },
  cancel: {
    usage: 'cancel ID [options]',
    summary: 'cancel a run of a running service',
    load: async () => (await import('./service-commands.ts')).cancelCommand,
  },
  servers: {
    usage: 'servers [login SERVER | logout SERVER]',
    summary: 'list the MCP servers of a running service, or log in to one',
    load: async () => (await import('./servers-command.ts')).serversCommand,
  },
  tools: {
    usage: 'tools [SERVER | approve SERVER]',
    summary: 'list the tools of a running service, or approve changed ones',
    load: async () => (await import('./tools-command.ts')).toolsCommand,
  },
  call: {
    usage: 'call TOOL JSON [options]',
    summary: 'call a tool of a running service, without a model',
    load: async () => (await import('./service-commands.ts')).callCommand,
  },
  replay: {
    usage: 'replay RUN [options]',
    summary: 'replay a settled run and compare its decisions',
    load: async () => (await import('./replay-command.ts')).replayCommand,
  },
  migrate: {
    usage: 'migrate --from DIR --to URL',
    summary: 'copy a data directory into a PostgreSQL database',
    load: async () => (await import('./migrate-command.ts')).migrateCommand,
  },
};
