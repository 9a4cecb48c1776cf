import type { LoginRequest } from '@signalbox/mcp-core/auth';
import { isRemote, type ServerConfig } from '../config/config.ts';
import type { BreakerStatus, ServerStatus } from '../ports/tool-catalogue.ts';
import { cutText } from '../text/cut-text.ts';
import type { Catalogue } from './catalogue.ts';
import type { ServerLife } from './server-life.ts';
import type { ServerStage } from './server-stage.ts';

/** Limits of texts that servers write into their status, in characters. */
const MAX_TEXT = 4096;
const MAX_WARNINGS = 100;

export interface DescribedServer {
  readonly config: ServerConfig;
  readonly stage: ServerStage;
  readonly life: ServerLife | undefined;
  readonly breaker: BreakerStatus;
  readonly roots: readonly string[];
  readonly calls: Pick<ServerStatus, 'connections' | 'waiting'>;
  readonly login: LoginRequest | undefined;
  readonly mask: (text: string) => string;
}

export function describeServer({
  config,
  stage,
  life,
  breaker,
  roots,
  calls,
  login,
  mask,
}: DescribedServer): ServerStatus {
  const { state, since, restarts, error } = stage;
  return {
    name: config.name,
    ...(config.configuredName === undefined ? {} : { configuredName: config.configuredName }),
    transport: transportOf(config),
    state: state === 'ready' && isRefused(login) ? 'needs_login' : state,
    breaker,
    roots,
    toolCount: 0,
    quarantined: [],
    warnings: [],
    since,
    restarts,
    ...calls,
    ...(life === undefined ? {} : describeLife(life, mask)),
    ...(error === undefined ? {} : { error: cutText(error, MAX_TEXT) }),
    ...(login === undefined ? {} : { login }),
  };
}

/** Whether a server refuses every request, rather than those that need more scopes. */
function isRefused(login: LoginRequest | undefined): boolean {
  return login !== undefined && login.reason !== 'insufficient-scope';
}

/** Returns the transport of a configured server. */
export function transportOf(config: ServerConfig): ServerStatus['transport'] {
  if (!isRemote(config)) return 'stdio';
  return config.transport === 'sse' ? 'sse' : 'http';
}

function describeLife(
  { connection, tools }: ServerLife,
  mask: (text: string) => string,
): Partial<ServerStatus> {
  const { info, instructions, era, protocolVersion, capabilities } = connection.client.server;
  const quarantined = quarantinedTools(tools.current);
  return {
    era,
    protocolVersion,
    toolCount: tools.current.entries.size - quarantined.length,
    quarantined,
    warnings: warningsOf(tools.current, mask),
    ...(capabilities.tools?.listChanged === true ? { toolsChange: true } : {}),
    ...(info === undefined ? {} : { serverInfo: { name: info.name, version: info.version } }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(connection.pid === undefined ? {} : { pid: connection.pid }),
  };
}

function warningsOf({ warnings }: Catalogue, mask: (text: string) => string): readonly string[] {
  const more = warnings.length - MAX_WARNINGS;
  return [
    ...warnings.slice(0, MAX_WARNINGS).map((warning) => cutText(mask(warning), MAX_TEXT)),
    ...(more > 0 ? [`${more} further warnings are not listed`] : []),
  ];
}

function quarantinedTools({ entries }: Catalogue): readonly string[] {
  return [...entries.values()]
    .filter(({ changed }) => changed !== undefined)
    .map(({ tool }) => tool.name);
}
