import type { LlmProvider, ProviderInfo } from './llm-provider.ts';
import type { ModelCard } from './model-card.ts';

/** A model at one of the configured providers. */
export interface ModelRef {
  readonly provider: string;
  /** Id or alias of the model, without the provider. */
  readonly model: string;
}

/** A name that does not select one model. The message lists the names to use. */
export class ModelNameError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ModelNameError';
  }
}

/** The configured model providers. */
export interface LlmProviders {
  /** Default provider with its default model. */
  readonly info: ProviderInfo;
  /** Names of the providers, the default first. */
  readonly names: readonly string[];
  /** Returns a provider by its name. */
  get(provider: string): LlmProvider | undefined;
  /**
   * Finds the model of `provider/model`, or of a bare name that one provider offers. A bare name
   * that no provider is known to offer belongs to the default provider.
   * @throws ModelNameError when several providers offer the model
   */
  resolve(name: string): ModelRef;
  /** Returns the cards of the models that the provider is known to offer. */
  listed(provider: string): readonly ModelCard[];
}
