import { readFile as readFileFromDisk } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { chooseLlm, type LlmChoice } from './choose-llm.ts';
import { cassetteSetting } from './cassette-setting.ts';
import { ConfigError, type Config } from './config.ts';
import { parseConfigFile, problemsError } from './config-file.ts';
import type { FileConfig } from './config-schema.ts';
import { httpUrl } from './http-url.ts';
import { isLoopback } from './loopback.ts';
import { toServerConfig, type ReadServer } from './server-config.ts';

/** Values of the command line, as strings where they are one; undefined means not given. */
export interface ConfigFlags {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | number | undefined;
  readonly dataDir?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly logFormat?: string | undefined;
  readonly durability?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly scenario?: string | undefined;
}

export interface ConfigSources {
  readonly flags: ConfigFlags;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly homeDir: string;
  /** Default: the file system. Rejects with `code: 'ENOENT'` where there is no file. */
  readonly readFile?: (path: string) => Promise<string>;
}

export interface LoadedConfig extends Config {
  /** The file that was read. */
  readonly file: string | undefined;
  /** What a person should know about the choices made; never a secret. */
  readonly notices: readonly string[];
}

/**
 * Flags win over SIGNALBOX_ variables, these over the file, it over the defaults. The file is the one of the flag `config`, else
 * `signalbox.json` in the user's configuration directory where there is one; the working directory is never searched.
 * @throws ConfigError
 */
export async function loadConfig(sources: ConfigSources): Promise<LoadedConfig> {
  const env = withoutBlanks(sources.env);
  const source = await readSource(sources, env);
  const { config: file, notices } = source === undefined ? { config: {} satisfies FileConfig as FileConfig, notices: [] } : parseConfigFile(source.text, source.path);
  const flags = sources.flags;
  const folder = source === undefined ? sources.cwd : resolve(source.path, '..');
  const host = flags.host ?? env['SIGNALBOX_HOST'] ?? file.host ?? '127.0.0.1';
  const token = env['SIGNALBOX_TOKEN'];
  if (token === undefined && !isLoopback(host)) {
    throw new ConfigError(`the host ${host} can be reached from other machines: set the environment variable SIGNALBOX_TOKEN to a secret that clients must send, or use the host 127.0.0.1`);
  }
  const servers = source === undefined ? [] : serversOf(file, { path: source.path, folder, env, homeDir: sources.homeDir });
  const { llm, notices: llmNotices } = chooseLlm(llmChoice(sources, file.llm ?? {}, { folder, env }), env);
  return {
    host,
    port: portOf(flags.port, '--port') ?? portOf(env['SIGNALBOX_PORT'], 'SIGNALBOX_PORT') ?? file.port ?? 8020,
    dataDir: pathOf(sources.cwd, flags.dataDir ?? env['SIGNALBOX_DATA_DIR']) ?? pathOf(folder, file.data_dir) ?? join(sources.cwd, '.signalbox'),
    logLevel:
      oneOf(LOG_LEVELS, { value: flags.logLevel, source: '--log-level' }) ?? oneOf(LOG_LEVELS, { value: env['SIGNALBOX_LOG_LEVEL'], source: 'SIGNALBOX_LOG_LEVEL' }) ?? file.log_level ?? 'info',
    logFormat:
      oneOf(LOG_FORMATS, { value: flags.logFormat, source: '--log-format' }) ?? oneOf(LOG_FORMATS, { value: env['SIGNALBOX_LOG_FORMAT'], source: 'SIGNALBOX_LOG_FORMAT' }) ?? file.log_format ?? 'text',
    durability: oneOf(['process', 'power'], { value: flags.durability, source: '--durability' }) ?? file.durability ?? 'process',
    token,
    llm,
    servers: servers.map((read) => read.server),
    file: source?.path,
    notices: [...notices, ...servers.flatMap((read) => read.notices), ...llmNotices],
  };
}

function llmChoice(sources: ConfigSources, file: NonNullable<FileConfig['llm']>, context: { readonly folder: string; readonly env: ConfigSources['env'] }): LlmChoice {
  const { provider: providerFlag, model, baseUrl, scenario } = sources.flags;
  const provider = oneOf(['openai', 'anthropic', 'scripted'], { value: providerFlag, source: '--provider' }) ?? (scenario === undefined ? undefined : 'scripted');
  // A model or address of the file belongs to the provider the file names.
  const rest = provider === undefined || file.provider === undefined || provider === file.provider ? file : {};
  return {
    provider: provider ?? file.provider,
    model: model ?? context.env['SIGNALBOX_MODEL'] ?? rest.model,
    wire: rest.wire,
    models: rest.models,
    baseUrl: baseUrl === undefined ? rest.base_url : httpUrl(baseUrl, '--base-url'),
    scenario: pathOf(sources.cwd, scenario) ?? pathOf(context.folder, rest.scenario),
    cassette: cassetteOf(sources, file.cassette, context),
  };
}

function cassetteOf({ cwd }: ConfigSources, inFile: string | undefined, { folder, env }: { readonly folder: string; readonly env: ConfigSources['env'] }): LlmChoice['cassette'] {
  const inEnvironment = env['SIGNALBOX_CASSETTE'];
  return inEnvironment === undefined ? cassetteSetting(inFile, { folder, source: 'llm.cassette' }) : cassetteSetting(inEnvironment, { folder: cwd, source: 'SIGNALBOX_CASSETTE' });
}

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const LOG_FORMATS = ['text', 'json'] as const;

async function readSource(sources: ConfigSources, env: ConfigSources['env']): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const named = pathOf(sources.cwd, sources.flags.config);
  const xdg = env['XDG_CONFIG_HOME'];
  // The XDG base directory specification has relative paths ignored.
  const configHome = xdg !== undefined && isAbsolute(xdg) ? xdg : join(sources.homeDir, '.config');
  const path = named ?? join(configHome, 'signalbox', 'signalbox.json');
  try {
    return { path, text: await (sources.readFile ?? readText)(path) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (named === undefined && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    const problem = code === 'ENOENT' ? 'the configuration file does not exist; check --config' : `the configuration file cannot be read (${code ?? 'unknown error'})`;
    throw new ConfigError(`${path}: ${problem}`, { cause: error });
  }
}

function readText(path: string): Promise<string> {
  return readFileFromDisk(path, 'utf8');
}

function serversOf(file: FileConfig, source: { readonly path: string; readonly folder: string; readonly env: ConfigSources['env']; readonly homeDir: string }): readonly ReadServer[] {
  const read = Object.entries(file.mcpServers ?? {}).map(([name, entry]) => toServerConfig(name, entry, source));
  const problems = read.flatMap((entry) => entry.problems);
  if (problems.length > 0) throw problemsError(source.path, problems);
  return read;
}

function withoutBlanks(env: ConfigSources['env']): ConfigSources['env'] {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''));
}

function pathOf(folder: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(folder, path);
}

function portOf(value: string | number | undefined, source: string): number | undefined {
  if (value === undefined) return undefined;
  const port = typeof value === 'number' || /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new ConfigError(`${source}: must be a whole number from 0 to 65535 (0 takes a free port)`);
  return port;
}

function oneOf<T extends string>(known: readonly T[], given: { readonly value: string | undefined; readonly source: string }): T | undefined {
  if (given.value === undefined) return undefined;
  const value = known.find((candidate) => candidate === given.value);
  if (value === undefined) throw new ConfigError(`${given.source}: must be ${known.join(', ').replace(/, (?=[^,]*$)/, ' or ')}`);
  return value;
}
