import { readFile as readFileFromDisk } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { isLoopback } from '@signalbox/mcp-core';
import { apiKeyNamesOf, apiKeysOf, keyLimitsOf } from './api-keys.ts';
import { chooseLlm, type LlmChoice } from './choose-llm.ts';
import { cassetteSetting } from './cassette-setting.ts';
import { ConfigError, type Config } from './config.ts';
import { parseConfigFile, problemsError, type ParsedConfig } from './config-file.ts';
import type { ConfigInput } from './config-inputs.ts';
import type { FileConfig } from './config-schema.ts';
import { databaseSetting } from './database-setting.ts';
import { furtherProviders, vendorsWithKeys, withNamedDefault } from './further-providers.ts';
import { httpUrl } from './http-url.ts';
import { queueSetting, redisSettings } from './redis-settings.ts';
import { readServers, type ReadServers, type ServerSources } from './read-servers.ts';
import { remoteServersOf } from './remote-servers-setting.ts';
import { editedServers, type EditMode, type ServerEditing } from './server-editing.ts';
import { secretKeysOf } from './secret-keys.ts';
import { traceSettings } from './trace-settings.ts';
import type { WorkerRole } from '../ports/store/worker.ts';

/** Options of the command line. Undefined: not given. */
export interface ConfigFlags {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | number | undefined;
  readonly role?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly logFormat?: string | undefined;
  readonly durability?: string | undefined;
  readonly editServers?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly scenario?: string | undefined;
  /** Values for `${input:id}`, by id. */
  readonly inputs?: { readonly [id: string]: string };
  /** Whether an unusable server is an error. Default: false. */
  readonly isStrict?: boolean;
}

export interface ConfigSources {
  readonly flags: ConfigFlags;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly homeDir: string;
  /** Whether the service is for one command and does not listen, so that it needs no API key. Default: false. */
  readonly isTemporary?: boolean;
  /** Default: the file system. Rejects with `code: 'ENOENT'` for a missing file. */
  readonly readFile?: (path: string) => Promise<string>;
  /** Asks a person for the value of an input. Resolves with undefined if nothing was typed. */
  readonly askInput?: (input: ConfigInput) => Promise<string | undefined>;
}

export interface LoadedConfig extends Config {
  /** Undefined: the REST API cannot change servers. */
  readonly serverEditing?: ServerEditing | undefined;
  /** File that was read, if any. */
  readonly file: string | undefined;
  /** Hints about the choices made, without secrets. */
  readonly notices: readonly string[];
}

/**
 * Loads the configuration. Flags override SIGNALBOX_ variables, which override the file, which
 * overrides the defaults. The file is the flag `config`, or `signalbox.json` in the user's
 * configuration directory if it exists; the working directory is never searched. Unusable servers
 * are in `invalidServers`.
 * @throws ConfigError
 */
export async function loadConfig(sources: ConfigSources): Promise<LoadedConfig> {
  const env = withoutBlanks(sources.env);
  const source = await readSource(sources, env);
  const {
    config: file,
    notices,
    ...parsed
  } = source === undefined ? NO_FILE : parseConfigFile(source.text, source.path);
  const { flags, isTemporary = false } = sources;
  const folder = source === undefined ? sources.cwd : resolve(source.path, '..');
  const host = flags.host ?? env['SIGNALBOX_HOST'] ?? file.host ?? '127.0.0.1';
  const role = isTemporary ? 'all' : roleOf(sources, env);
  const hasApi = !isTemporary && role !== 'worker';
  const isListening = hasApi || (role === 'worker' && flags.port !== undefined);
  const apiKeys = apiKeysOf(hasApi ? file.api_keys : {}, env);
  if (isListening && apiKeys.length === 0 && !isLoopback(host)) {
    throw new ConfigError(
      `the host ${host} can be reached from other machines: set the environment variable SIGNALBOX_TOKEN to a secret that clients must send,${hasApi ? ' or configure api_keys,' : ''} or use the host 127.0.0.1`,
    );
  }
  const dataDir =
    pathOf(sources.cwd, flags.dataDir ?? env['SIGNALBOX_DATA_DIR']) ??
    pathOf(folder, file.data_dir) ??
    join(sources.cwd, '.signalbox');
  const edited = await editedServers(parsed, {
    mode: editModeOf(sources, env, file),
    role,
    isOpen: hasApi && apiKeys.length === 0,
    dataDir,
    sources: serverSources(sources, env, folder),
  });
  const read = await readServers({ ...parsed, servers: edited.servers }, edited.sources);
  refuseInvalid(read, flags, source?.path);
  const choice = llmChoice(sources, file.llm ?? {}, { folder, env });
  const chosen = chooseLlm(choice, env);
  const further = furtherProviders(chosen.llm, file.llm?.providers ?? {}, {
    env,
    named: file.llm?.provider,
    choice,
    pathOf: (path) => pathOf(folder, path),
  });
  const { llm, otherLlms } = withNamedDefault({
    llm: further.llm,
    otherLlms: isFreeChoice(choice, file.llm)
      ? vendorsWithKeys(further.llm, env)
      : further.otherLlms,
  });
  const { traces, notices: traceNotices } = traceSettings(env);
  const { redis, notices: redisNotices } = redisSettings(env);
  return {
    role,
    // The port of the file and of the environment belongs to the API.
    probePort: role === 'worker' ? portOf(flags.port, '--port') : undefined,
    host,
    port:
      portOf(flags.port, '--port') ??
      portOf(env['SIGNALBOX_PORT'], 'SIGNALBOX_PORT') ??
      file.port ??
      8020,
    dataDir,
    database: databaseSetting(env, file.database),
    logLevel:
      oneOf(LOG_LEVELS, { value: flags.logLevel, source: '--log-level' }) ??
      oneOf(LOG_LEVELS, { value: env['SIGNALBOX_LOG_LEVEL'], source: 'SIGNALBOX_LOG_LEVEL' }) ??
      file.log_level ??
      'info',
    logFormat:
      oneOf(LOG_FORMATS, { value: flags.logFormat, source: '--log-format' }) ??
      oneOf(LOG_FORMATS, { value: env['SIGNALBOX_LOG_FORMAT'], source: 'SIGNALBOX_LOG_FORMAT' }) ??
      file.log_format ??
      'text',
    durability:
      oneOf(['process', 'power'], { value: flags.durability, source: '--durability' }) ??
      file.durability ??
      'process',
    ...(file.max_queued_runs === undefined ? {} : { maxQueuedRuns: file.max_queued_runs }),
    maxStreams: file.max_streams,
    maxStreamsPerRun: file.max_streams_per_run,
    maxPendingBodyBytes: file.max_pending_body_bytes,
    ...concurrencyOf(file.concurrency),
    ...retentionOf(file.retention_days),
    ...webhooksOf(file.webhooks),
    apiKeys,
    apiKeyNames: apiKeyNamesOf(file.api_keys),
    allowedOrigins: file.allowed_origins,
    keyLimits: keyLimitsOf(file),
    llm,
    otherLlms,
    ...(traces === undefined ? {} : { traces }),
    ...(redis === undefined ? {} : { redis }),
    queue: queueSetting(env),
    secretKeys: secretKeysOf(env),
    ...remoteServersOf(file),
    servers: read.servers,
    invalidServers: read.invalid,
    serverEditing: edited.editing,
    file: source?.path,
    notices: [
      ...notices,
      ...edited.notices,
      ...read.notices,
      ...chosen.notices,
      ...traceNotices,
      ...redisNotices,
    ],
  };
}

function llmChoice(
  sources: ConfigSources,
  file: NonNullable<FileConfig['llm']>,
  context: { readonly folder: string; readonly env: ConfigSources['env'] },
): LlmChoice {
  const { provider: providerFlag, model, baseUrl, scenario } = sources.flags;
  const provider =
    oneOf(['openai', 'anthropic', 'scripted'], { value: providerFlag, source: '--provider' }) ??
    (scenario === undefined ? undefined : 'scripted');
  // A model or address in the file belongs to the provider in the file.
  const rest =
    provider === undefined || file.provider === undefined || provider === file.provider ? file : {};
  return {
    provider: provider ?? file.provider,
    model: model ?? context.env['SIGNALBOX_MODEL'] ?? rest.model,
    wire: rest.wire,
    models: rest.models,
    maxOutputTokens: file.max_output_tokens,
    toolDescriptionCharacters: rest.tool_description_characters,
    baseUrl: baseUrl === undefined ? rest.base_url : httpUrl(baseUrl, '--base-url'),
    scenario: pathOf(sources.cwd, scenario) ?? pathOf(context.folder, rest.scenario),
    cassette: cassetteOf(sources, file.cassette, context),
  };
}

/** Whether only the keys in the environment choose the providers. */
function isFreeChoice(
  { provider, wire, baseUrl, scenario }: LlmChoice,
  file: FileConfig['llm'],
): boolean {
  const chosen = [provider, wire, baseUrl, scenario, file?.providers];
  return chosen.every((value) => value === undefined);
}

function cassetteOf(
  { cwd }: ConfigSources,
  inFile: string | undefined,
  { folder, env }: { readonly folder: string; readonly env: ConfigSources['env'] },
): LlmChoice['cassette'] {
  const inEnvironment = env['SIGNALBOX_CASSETTE'];
  return inEnvironment === undefined
    ? cassetteSetting(inFile, { folder, source: 'llm.cassette' })
    : cassetteSetting(inEnvironment, { folder: cwd, source: 'SIGNALBOX_CASSETTE' });
}

function concurrencyOf(limits: FileConfig['concurrency']): Pick<Config, 'concurrency'> {
  if (limits === undefined) return {};
  const named = {
    modelCalls: limits.model_calls,
    toolCalls: limits.tool_calls,
    callsPerServer: limits.tool_calls_per_server,
    heldCalls: limits.waiting_calls,
  };
  return {
    concurrency: Object.fromEntries(
      Object.entries(named).filter(([, value]) => value !== undefined),
    ),
  };
}

function retentionOf(days: FileConfig['retention_days']): Pick<Config, 'retentionDays'> {
  if (days === undefined) return {};
  return {
    retentionDays:
      typeof days === 'number'
        ? { completed: days, failed: days, cancelled: days, expired: days }
        : days,
  };
}

function webhooksOf(settings: FileConfig['webhooks']): Pick<Config, 'webhooks'> {
  if (settings === undefined) return {};
  const { allowed_networks: allowedNetworks, retention_days: retentionDays } = settings;
  return { webhooks: { allowedNetworks, retentionDays } };
}

const NO_FILE: ParsedConfig = { config: {}, servers: [], inputs: [], notices: [] };
const ROLES = ['all', 'api', 'worker'] as const;
const EDIT_MODES = ['off', 'remote', 'all'] as const;
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const LOG_FORMATS = ['text', 'json'] as const;

async function readSource(
  sources: ConfigSources,
  env: ConfigSources['env'],
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const named = pathOf(sources.cwd, sources.flags.config);
  const xdg = env['XDG_CONFIG_HOME'];
  // The XDG base directory specification requires ignoring relative paths.
  const configHome = xdg !== undefined && isAbsolute(xdg) ? xdg : join(sources.homeDir, '.config');
  const path = named ?? join(configHome, 'signalbox', 'signalbox.json');
  try {
    return { path, text: await (sources.readFile ?? readText)(path) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (named === undefined && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    const problem =
      code === 'ENOENT'
        ? 'the configuration file does not exist; check --config'
        : `the configuration file cannot be read (${code ?? 'unknown error'})`;
    throw new ConfigError(`${path}: ${problem}`, { cause: error });
  }
}

function readText(path: string): Promise<string> {
  return readFileFromDisk(path, 'utf8');
}

function roleOf({ flags }: ConfigSources, env: ConfigSources['env']): WorkerRole {
  return (
    oneOf(ROLES, { value: flags.role, source: '--role' }) ??
    oneOf(ROLES, { value: env['SIGNALBOX_ROLE'], source: 'SIGNALBOX_ROLE' }) ??
    'all'
  );
}

function editModeOf(
  { flags }: ConfigSources,
  env: ConfigSources['env'],
  file: Omit<FileConfig, 'mcpServers'>,
): EditMode | 'off' {
  return (
    oneOf(EDIT_MODES, { value: flags.editServers, source: '--edit-servers' }) ??
    oneOf(EDIT_MODES, {
      value: env['SIGNALBOX_EDIT_SERVERS'],
      source: 'SIGNALBOX_EDIT_SERVERS',
    }) ??
    file.edit_servers ??
    'off'
  );
}

function serverSources(
  { flags, homeDir, readFile = readText, askInput }: ConfigSources,
  env: ConfigSources['env'],
  folder: string,
): ServerSources {
  return { given: flags.inputs ?? {}, env, ask: askInput, folder, homeDir, readFile };
}

/** @throws ConfigError when servers of the file are unusable and this is an error */
function refuseInvalid(
  { invalid }: ReadServers,
  { isStrict }: ConfigFlags,
  path: string | undefined,
): void {
  const problems = invalid.flatMap(({ problems: each }) => each);
  if (isStrict === true && path !== undefined && problems.length > 0)
    throw problemsError(path, problems);
}

function withoutBlanks(env: ConfigSources['env']): ConfigSources['env'] {
  return Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
}

function pathOf(folder: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(folder, path);
}

function portOf(value: string | number | undefined, source: string): number | undefined {
  if (value === undefined) return undefined;
  const port = typeof value === 'number' || /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new ConfigError(
      `${source}: must be a whole number from 0 to 65535 (0 takes a free port)`,
    );
  return port;
}

function oneOf<T extends string>(
  known: readonly T[],
  given: { readonly value: string | undefined; readonly source: string },
): T | undefined {
  if (given.value === undefined) return undefined;
  const value = known.find((candidate) => candidate === given.value);
  if (value === undefined)
    throw new ConfigError(
      `${given.source}: must be ${known.join(', ').replace(/, (?=[^,]*$)/, ' or ')}`,
    );
  return value;
}
