import type { LlmConfig } from '../config/config.ts';
import type { LlmProvider, ProviderInfo } from '../ports/llm-provider.ts';
import { type LlmProviders, ModelNameError, type ModelRef } from '../ports/llm-providers.ts';
import type { ModelCard } from '../ports/model-card.ts';
import { listedModels, offersModel } from './catalogue/model-cards.ts';
import { createLlmProvider, type LlmProviderOptions } from './provider.ts';
import { isVendorAddress } from './wire.ts';

interface NamedProvider {
  readonly name: string;
  readonly config: LlmConfig;
  readonly provider: LlmProvider;
}

/** Most providers that an error text lists. */
const MAX_LISTED = 10;

/**
 * Creates the configured providers, the default first. Loads and connects nothing before the first
 * `stream`.
 * @throws ConfigError for an unusable scenario file
 */
export function createLlmProviders(
  [config, ...others]: readonly [LlmConfig, ...LlmConfig[]],
  options: LlmProviderOptions = {},
): LlmProviders {
  const named = (each: LlmConfig): NamedProvider => ({
    name: each.name ?? each.provider,
    config: each,
    provider: createLlmProvider(each, options),
  });
  return new ConfiguredProviders(named(config), others.map(named));
}

class ConfiguredProviders implements LlmProviders {
  readonly #default: NamedProvider;
  readonly #all: readonly NamedProvider[];

  constructor(first: NamedProvider, others: readonly NamedProvider[]) {
    this.#default = first;
    this.#all = [first, ...others];
  }

  get info(): ProviderInfo {
    return this.#default.provider.info;
  }

  get names(): readonly string[] {
    return this.#all.map(({ name }) => name);
  }

  get(provider: string): LlmProvider | undefined {
    return this.#find(provider)?.provider;
  }

  resolve(name: string): ModelRef {
    const [first, ...others] = this.#all.filter(({ config, provider }) =>
      offersModel(config, provider.info.model, name),
    );
    if (first !== undefined && others.length > 0)
      throw new ModelNameError(
        `Several providers offer the model ${name}. Name one of ${[first, ...others]
          .slice(0, MAX_LISTED)
          .map((each) => `${each.name}/${name}`)
          .join(', ')}.`,
      );
    if (first !== undefined) return { provider: first.name, model: name };
    const slash = name.indexOf('/');
    const prefixed = this.#find(name.slice(0, Math.max(0, slash)));
    const model = name.slice(slash + 1);
    if (prefixed !== undefined && model !== '') return { provider: prefixed.name, model };
    const { config } = this.#default;
    // No model of the vendors has a slash in its id; those of compatible servers may.
    if (slash >= 0 && config.provider !== 'scripted' && isVendorAddress(config))
      throw new ModelNameError(
        `No provider is named ${JSON.stringify(name.slice(0, slash))}. Configured providers: ${this.names.join(', ')}.`,
      );
    return { provider: this.#default.name, model: name };
  }

  listed(provider: string): readonly ModelCard[] {
    const found = this.#find(provider);
    return found === undefined ? [] : listedModels(found.config, found.provider.info.model);
  }

  #find(provider: string): NamedProvider | undefined {
    return this.#all.find(({ name }) => name === provider);
  }
}
