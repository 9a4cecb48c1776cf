import type { Service } from '../app.ts';
import { describeDatabase } from '../text/describe-database.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { demoFolder } from '../demo/demo-folder.ts';
import type { Logger } from '../ports/logger.ts';
import { EXIT } from './exit-code.ts';
import type { Io } from './io.ts';

/** Facts about the service that its start prints. */
export interface Served {
  readonly config: LoadedConfig;
  /** Whether the demo servers are among the configured ones. */
  readonly isDemo: boolean;
  /** Folder of the filesystem server. */
  readonly files: string;
  readonly logger: Logger;
}

/**
 * Starts the service, prints its address and example requests, and resolves with the exit code at the first Ctrl-C, SIGTERM or
 * SIGHUP; the next signal ends the process at once. With the log format `json` it writes log entries instead.
 */
export async function serve(io: Io, app: Service, served: Served): Promise<number> {
  const { config, logger } = served;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const unsubscribe = io.onInterrupt(stop);
  const url = await app.listen();
  const isJson = config.logFormat === 'json';
  if (isJson) logger.info('signalbox is ready', readyFields(url, app, config));
  else if (config.role === 'worker' || url === undefined) io.out(welcomeOfWorker(url, config));
  else io.out(welcome(url, app, served));
  io.onReady?.();
  await stopped;
  unsubscribe();
  const goodbye = `stopping; unfinished runs continue ${config.role === 'all' ? 'at the next start' : 'on other workers'}`;
  if (isJson) logger.info(goodbye);
  else io.out(`signalbox: ${goodbye}\n`);
  return EXIT.done;
}

function readyFields(
  url: string | undefined,
  app: Service,
  { role, servers, dataDir, database, notices }: LoadedConfig,
): { readonly [name: string]: unknown } {
  const { info } = app.llm;
  return {
    ...(url === undefined ? {} : { url }),
    ...(role === 'all' ? {} : { role }),
    ...(info.scripted ? {} : { provider: info.provider, model: info.model }),
    servers: servers.map(({ name }) => name),
    ...(database === undefined
      ? { data_dir: dataDir }
      : { database: describeDatabase(database.url) }),
    ...(notices.length === 0 ? {} : { notices }),
  };
}

const WORKSPACE_TASK = 'Which packages are in this workspace and which has the most source files?';

/** Returns the text of a worker, which has no API to try. */
function welcomeOfWorker(
  url: string | undefined,
  { servers, dataDir, database, notices }: LoadedConfig,
): string {
  const names = servers.map(({ name }) => name);
  const lines = [
    'signalbox worker is ready',
    `  servers  ${names.length === 0 ? 'none' : names.join(', ')}`,
    `  data     ${placeOf({ dataDir, database })}`,
    ...(url === undefined ? [] : [`  probes   ${url}/readyz`]),
    ...notices.map((notice) => `note: ${notice}`),
    '',
    'Ctrl-C stops.',
    '',
  ];
  return lines.join('\n');
}

/** Returns the place of the runs without secrets. */
function placeOf({ dataDir, database }: Pick<LoadedConfig, 'dataDir' | 'database'>): string {
  return database === undefined ? dataDir : describeDatabase(database.url);
}

function welcome(url: string, app: Service, { config, isDemo, files }: Served): string {
  const { info } = app.llm;
  const names = config.servers.map((server) => server.name);
  const prompt = isDemo ? 'Which customers bought most?' : 'What can you do?';
  const task =
    demoFolder({ repository: files, cwd: '' }) === files
      ? WORKSPACE_TASK
      : 'Compare the weather in Oslo, Lisbon and Cairo';
  const lines = [
    `signalbox is ready on ${url}`,
    `  console  ${url}/`,
    `  model    ${info.scripted ? 'none' : `${info.provider} ${info.model}`}`,
    `  servers  ${names.length === 0 ? 'none; add servers to signalbox.json, or start with --demo' : names.join(', ')}`,
    ...(isDemo ? [`  files    ${files}`] : []),
    `  data     ${placeOf(config)}`,
    ...(info.notice === undefined ? [] : ['', info.notice]),
    ...config.notices.map((notice) => `note: ${notice}`),
    '',
    'Try:',
    `  curl -sN ${url}/v1/runs -H 'accept: text/event-stream' -H 'content-type: application/json' -d '{"prompt":"${prompt}"}'`,
    ...(isDemo ? [`  npx signalbox run --demo "${task}"`] : []),
    `  curl -s ${url}/v1/tools`,
    '',
    'Ctrl-C stops.',
    '',
  ];
  return lines.join('\n');
}
