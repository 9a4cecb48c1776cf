import type { App } from '../app.ts';
import type { Io } from './io.ts';
import type { LoadedConfig } from '../config/load-config.ts';

/** Starts the service, says where it is and what to try, and stops it at the first Ctrl-C or SIGTERM. Returns the exit code. */
export async function serve(io: Io, app: App, config: LoadedConfig): Promise<number> {
  const stopped = new Promise<void>((resolve) => {
    io.onInterrupt(resolve);
  });
  const url = await app.listen();
  io.out(welcome(url, app, config));
  await stopped;
  io.out('signalbox: stopping; runs that are not finished go on at the next start\n');
  await app.close();
  return 0;
}

function welcome(url: string, app: App, config: LoadedConfig): string {
  const { info } = app.llm;
  const names = config.servers.map((server) => server.name);
  const lines = [
    `signalbox is ready on ${url}`,
    `  model    ${info.scripted ? 'none' : `${info.provider} ${info.model}`}`,
    `  servers  ${names.length === 0 ? 'none; name some in signalbox.json, or start with --demo' : names.join(', ')}`,
    `  data     ${config.dataDir}`,
    ...(info.notice === undefined ? [] : ['', info.notice]),
    ...config.notices.map((notice) => `note: ${notice}`),
    '',
    'Try:',
    `  curl -sN ${url}/v1/runs -H 'accept: text/event-stream' -H 'content-type: application/json' -d '{"prompt":"Which customers bought most?"}'`,
    '  npx signalbox run --demo "Which packages are in this workspace and which has the most source files?"',
    `  curl -s ${url}/v1/tools`,
    '',
    'Ctrl-C stops.',
    '',
  ];
  return lines.join('\n');
}
