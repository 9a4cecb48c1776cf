import type { LlmConfig } from '../config/config.ts';
import type { LlmRequest, ProviderInfo } from '../ports/llm-provider.ts';
import { modelCard, modelCards } from './catalogue/model-cards.ts';
import { type WireCall, type WireLimits, WireProvider } from './wire-provider.ts';

/** Options of one model call. */
export interface WireCallOptions {
  readonly config: LlmConfig;
  readonly model: string;
  readonly limits: WireLimits;
  readonly onBytes: (count: number) => void;
}

/** An API of a vendor. */
export interface WireApi<Raw> {
  readonly provider: ProviderInfo['provider'];
  readonly defaultModel: string;
  /** Name of the endpoint in messages. */
  readonly label: string;
  /**
   * Prepares a call.
   * @throws LlmError when the call is impossible
   */
  readonly startCall: (request: LlmRequest, options: WireCallOptions) => Promise<WireCall<Raw>>;
}

/** Creates the provider for an API with the configured model, or its default model. */
export function createWireProvider<Raw>(
  { provider, defaultModel, label, startCall }: WireApi<Raw>,
  config: LlmConfig,
  limits: WireLimits,
): WireProvider<Raw> {
  const info: ProviderInfo = {
    provider: config.name ?? provider,
    model: config.model ?? defaultModel,
    scripted: false,
  };
  return new WireProvider(
    {
      info,
      models: modelCards(config, info.model),
      card: (model) => modelCard(config, model),
      label,
      startCall: (request, onBytes) =>
        startCall(request, { config, model: request.model ?? info.model, limits, onBytes }),
    },
    limits,
  );
}
