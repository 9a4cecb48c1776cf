import { ConfigError, type CassetteConfig, type LlmConfig } from './config.ts';
import { httpUrl } from './http-url.ts';

/** Sources for the choice of the model. Empty strings count as unset. */
export interface LlmChoice {
  readonly provider: LlmConfig['provider'] | undefined;
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly wire?: LlmConfig['wire'];
  readonly models?: LlmConfig['models'];
  readonly maxOutputTokens?: LlmConfig['maxOutputTokens'];
  readonly toolDescriptionCharacters?: LlmConfig['toolDescriptionCharacters'];
  readonly scenario: string | undefined;
  readonly cassette?: CassetteConfig | undefined;
}

/**
 * Chooses the provider: an explicit choice, or the provider whose key is in the environment (OpenAI
 * before Anthropic), or the scripted provider.
 * @throws ConfigError when the key of an explicit provider is missing, or a base URL has no
 * provider
 */
export function chooseLlm(
  choice: LlmChoice,
  env: { readonly [name: string]: string | undefined },
): { readonly llm: LlmConfig; readonly notices: readonly string[] } {
  const keys = { openai: env['OPENAI_API_KEY'], anthropic: env['ANTHROPIC_API_KEY'] };
  const notices: string[] = [];
  assertWire(choice);
  const { models, maxOutputTokens, toolDescriptionCharacters } = choice;
  const limits = {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(toolDescriptionCharacters === undefined ? {} : { toolDescriptionCharacters }),
  };
  if (
    choice.provider === undefined &&
    choice.wire === undefined &&
    choice.baseUrl !== undefined &&
    keys.openai === undefined &&
    keys.anthropic === undefined
  ) {
    throw new ConfigError(
      'a base URL is configured without a provider: set llm.wire to "chat", "responses" or "messages", the API that the server speaks, or llm.provider to "openai" or "anthropic"',
    );
  }
  const provider =
    choice.provider ??
    providerOfWire(choice.wire) ??
    (choice.scenario === undefined ? providerOfKeys(keys, notices) : 'scripted');
  const { cassette } = choice;
  if (provider === 'scripted') {
    if (cassette?.mode === 'replay')
      throw new ConfigError(
        'a cassette is to be replayed, and no provider is configured: set llm.provider, or --provider, to the one it was recorded with; no key is needed',
      );
    if (cassette !== undefined)
      notices.push('no cassette is recorded: the answers come from scripts');
    if (choice.provider === undefined && choice.scenario === undefined)
      notices.push(...keylessNotices(choice, env));
    return {
      llm: {
        provider,
        model: choice.model,
        baseUrl: undefined,
        apiKey: undefined,
        scenario: choice.scenario,
        models,
      },
      notices,
    };
  }
  const variable = provider === 'openai' ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY';
  const baseUrl =
    choice.baseUrl ??
    vendorBaseUrl(env, provider === 'openai' ? 'OPENAI_BASE_URL' : 'ANTHROPIC_BASE_URL');
  if (keys[provider] === undefined && baseUrl === undefined && cassette?.mode !== 'replay') {
    throw new ConfigError(
      `the provider "${provider}" is configured, but ${variable} is not set; set it, or give the base URL of a server that needs no key`,
    );
  }
  if (choice.scenario !== undefined)
    notices.push(
      `the scenario is not used: the provider is "${provider}"; scenarios are for the provider "scripted"`,
    );
  // A replayed cassette does not use the key.
  const apiKey = keys[provider] ?? (cassette?.mode === 'replay' ? 'none' : undefined);
  return {
    llm: {
      provider,
      model: choice.model,
      baseUrl,
      apiKey,
      scenario: undefined,
      wire: choice.wire,
      models,
      ...limits,
      ...(cassette === undefined ? {} : { cassette }),
    },
    notices,
  };
}

/** Returns the provider of an API, whose key is sent. */
export function providerOfWire(wire: LlmConfig['wire']): 'openai' | 'anthropic' | undefined {
  if (wire === undefined) return undefined;
  return wire === 'messages' ? 'anthropic' : 'openai';
}

function assertWire({ provider, wire }: LlmChoice): void {
  const owner = providerOfWire(wire);
  if (provider === undefined || owner === undefined || provider === owner) return;
  throw new ConfigError(
    `llm.wire "${wire}" belongs to the provider "${owner}", and "${provider}" is configured; leave one of them out`,
  );
}

function providerOfKeys(
  keys: { readonly openai: string | undefined; readonly anthropic: string | undefined },
  notices: string[],
): LlmConfig['provider'] {
  if (keys.openai !== undefined && keys.anthropic !== undefined) {
    notices.push(
      'OPENAI_API_KEY and ANTHROPIC_API_KEY are both set; OpenAI is the default. Set llm.provider in signalbox.json to choose',
    );
  }
  if (keys.openai !== undefined) return 'openai';
  return keys.anthropic === undefined ? 'scripted' : 'anthropic';
}

/** Returns notices about settings that suggest a model but lack a key. */
function keylessNotices(
  { model }: LlmChoice,
  env: { readonly [name: string]: string | undefined },
): string[] {
  const url = ['OPENAI', 'ANTHROPIC'].find((vendor) => env[`${vendor}_BASE_URL`] !== undefined);
  if (url !== undefined)
    return [
      `${url}_BASE_URL is not used: ${url}_API_KEY is not set; any text will do for a server that needs no key`,
    ];
  return model === undefined
    ? []
    : [`the model "${model}" is not used: neither OPENAI_API_KEY nor ANTHROPIC_API_KEY is set`];
}

/** Returns the base URL in an environment variable. */
export function vendorBaseUrl(
  env: { readonly [name: string]: string | undefined },
  variable: string,
): string | undefined {
  const value = env[variable];
  return value === undefined ? undefined : httpUrl(value, `the environment variable ${variable}`);
}
