import type { App } from '../app.ts';
import type { Io } from './io.ts';
import type { LoadedConfig } from '../config/load-config.ts';

/** What a person sees first. */
export interface Served {
  readonly config: LoadedConfig;
  /** Whether the demo servers are among the configured ones. */
  readonly isDemo: boolean;
}

/** Starts the service, says where it is and what to try, and resolves with the exit code at the first Ctrl-C, SIGTERM or SIGHUP; the next one ends the process at once. */
export async function serve(io: Io, app: App, served: Served): Promise<number> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const unsubscribe = io.onInterrupt(stop);
  const url = await app.listen();
  io.out(welcome(url, app, served));
  await stopped;
  unsubscribe();
  io.out('signalbox: stopping; runs that are not finished go on at the next start\n');
  return 0;
}

function welcome(url: string, app: App, { config, isDemo }: Served): string {
  const { info } = app.llm;
  const names = config.servers.map((server) => server.name);
  const prompt = isDemo ? 'Which customers bought most?' : 'What can you do?';
  const lines = [
    `signalbox is ready on ${url}`,
    `  model    ${info.scripted ? 'none' : `${info.provider} ${info.model}`}`,
    `  servers  ${names.length === 0 ? 'none; name some in signalbox.json, or start with --demo' : names.join(', ')}`,
    `  data     ${config.dataDir}`,
    ...(info.notice === undefined ? [] : ['', info.notice]),
    ...config.notices.map((notice) => `note: ${notice}`),
    '',
    'Try:',
    `  curl -sN ${url}/v1/runs -H 'accept: text/event-stream' -H 'content-type: application/json' -d '{"prompt":"${prompt}"}'`,
    ...(isDemo ? ['  npx signalbox run --demo "Which packages are in this workspace and which has the most source files?"'] : []),
    `  curl -s ${url}/v1/tools`,
    '',
    'Ctrl-C stops.',
    '',
  ];
  return lines.join('\n');
}
