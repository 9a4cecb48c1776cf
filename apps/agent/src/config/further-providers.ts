import { chooseLlm, type LlmChoice, providerOfWire, vendorBaseUrl } from './choose-llm.ts';
import { ConfigError, type LlmConfig } from './config.ts';
import type { FileConfig } from './config-schema.ts';

type Entries = NonNullable<NonNullable<FileConfig['llm']>['providers']>;
type Kind = LlmConfig['provider'];

export interface ProviderSources {
  readonly env: { readonly [name: string]: string | undefined };
  /** Provider that `llm.provider` of the file names. */
  readonly named: string | undefined;
  readonly choice: Pick<LlmChoice, 'model' | 'baseUrl'>;
  /** Resolves a path of the configuration file. */
  readonly pathOf: (path: string | undefined) => string | undefined;
}

export interface ConfiguredProviders {
  /** Default provider. */
  readonly llm: LlmConfig;
  readonly otherLlms: readonly LlmConfig[];
}

const KINDS: readonly string[] = ['openai', 'anthropic', 'scripted'];

const VENDORS = {
  openai: { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL', host: 'api.openai.com' },
  anthropic: { key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_BASE_URL', host: 'api.anthropic.com' },
} as const;

/**
 * Adds the providers of `llm.providers` to the default provider. An entry with the name of a
 * default provider that `llm` does not name has its settings.
 * @throws ConfigError
 */
export function furtherProviders(
  llm: LlmConfig,
  entries: Entries,
  sources: ProviderSources,
): ConfiguredProviders {
  const all = Object.entries(entries).map(([name, entry]) =>
    providerOf(name, entry, { ...sources, llm }),
  );
  const own = all.find(({ name }) => name === llm.provider);
  const otherLlms = all.filter((each) => each !== own);
  if (own === undefined) return { llm, otherLlms };
  if (sources.named === llm.provider)
    throw new ConfigError(
      `llm.providers.${own.name}: "${own.name}" is the default provider, whose settings are in llm; give this provider another name`,
    );
  const { model = own.model, baseUrl = own.baseUrl } = sources.choice;
  return { llm: { ...own, model, baseUrl }, otherLlms };
}

/**
 * Returns the vendors whose keys are set beside the default provider, when nothing in the
 * configuration chooses a provider.
 */
export function vendorsWithKeys(llm: LlmConfig, env: ProviderSources['env']): readonly LlmConfig[] {
  return (['openai', 'anthropic'] as const)
    .filter((kind) => kind !== llm.provider && env[VENDORS[kind].key] !== undefined)
    .map((provider) => ({
      ...chooseLlm({ provider, model: undefined, baseUrl: undefined, scenario: undefined }, env)
        .llm,
      ...(llm.cassette === undefined ? {} : { cassette: llm.cassette }),
    }));
}

/**
 * Applies a model of the form `provider/model`: its provider becomes the default one. An id with a
 * slash that `llm.models` has is kept.
 */
export function withNamedDefault({ llm, otherLlms }: ConfiguredProviders): ConfiguredProviders {
  const { model = '', models = {} } = llm;
  const slash = model.indexOf('/');
  const name = model.slice(0, Math.max(0, slash));
  const found = otherLlms.find((each) => (each.name ?? each.provider) === name);
  if (found === undefined || slash + 1 === model.length || Object.hasOwn(models, model))
    return { llm, otherLlms };
  return {
    llm: { ...found, model: model.slice(slash + 1) },
    otherLlms: [{ ...llm, model: undefined }, ...otherLlms.filter((each) => each !== found)],
  };
}

function providerOf(
  name: string,
  entry: Entries[string],
  { env, pathOf, llm }: ProviderSources & { readonly llm: LlmConfig },
): LlmConfig {
  const place = `llm.providers.${name}`;
  const provider = kindOf(name, entry);
  const settings = {
    name,
    provider,
    model: entry.model,
    scenario: pathOf(entry.scenario),
    models: entry.models,
    ...(entry.max_output_tokens === undefined ? {} : { maxOutputTokens: entry.max_output_tokens }),
    ...(entry.tool_description_characters === undefined
      ? {}
      : { toolDescriptionCharacters: entry.tool_description_characters }),
  };
  if (provider === 'scripted') return { ...settings, baseUrl: undefined, apiKey: undefined };
  const vendor = VENDORS[provider];
  const isOfVendor = entry.base_url === undefined || new URL(entry.base_url).host === vendor.host;
  // A key of a vendor is never sent to a server that the entry names.
  const variable = entry.key_variable ?? (isOfVendor ? vendor.key : undefined);
  const baseUrl =
    entry.base_url ?? (variable === vendor.key ? vendorBaseUrl(env, vendor.url) : undefined);
  const isReplayed = llm.cassette?.mode === 'replay';
  const apiKey =
    (variable === undefined ? undefined : env[variable]) ?? (isReplayed ? 'none' : undefined);
  // Only a server at the base URL of the environment may need no key.
  const isRequired =
    entry.key_variable !== undefined || entry.base_url !== undefined || baseUrl === undefined;
  if (apiKey === undefined && variable !== undefined && isRequired)
    throw new ConfigError(
      `${place}: the environment variable ${variable} is not set; set it to the key of this provider, or remove the provider`,
    );
  return {
    ...settings,
    wire: entry.wire,
    baseUrl,
    apiKey,
    keyVariable: variable ?? `the variable that ${place}.key_variable names`,
    ...(llm.cassette === undefined ? {} : { cassette: llm.cassette }),
  };
}

function kindOf(name: string, { provider, wire }: Entries[string]): Kind {
  const ofWire = providerOfWire(wire);
  if (provider !== undefined && ofWire !== undefined && provider !== ofWire)
    throw new ConfigError(
      `llm.providers.${name}: wire "${wire}" belongs to the provider "${ofWire}", and "${provider}" is configured; leave one of them out`,
    );
  const kind = provider ?? ofWire ?? (isKind(name) ? name : undefined);
  if (kind !== undefined) return kind;
  throw new ConfigError(
    `llm.providers.${name}: set wire to "chat", "responses" or "messages", the API that the server speaks, or provider to "openai" or "anthropic"`,
  );
}

function isKind(name: string): name is Kind {
  return KINDS.includes(name);
}
