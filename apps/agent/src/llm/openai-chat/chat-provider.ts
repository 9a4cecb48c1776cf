import type OpenAI from 'openai';
import type { LlmConfig } from '../../config/config.ts';
import type { LlmRequest, ProviderInfo } from '../../ports/llm-provider.ts';
import { modelCard, modelCards } from '../catalogue/model-cards.ts';
import { estimateTokens } from '../../usage/estimate-tokens.ts';
import {
  assertToolCount,
  createOpenAiClient,
  DEFAULT_OPENAI_MODEL,
  openAiEndpoint,
  openAiLabel,
} from '../openai-client.ts';
import { sdkFailure } from '../sdk-failure.ts';
import { type WireCall, type WireLimits, WireProvider } from '../wire-provider.ts';
import { buildRequest } from './request.ts';
import { ChatTranslator } from './translator.ts';

type Raw = OpenAI.ChatCompletionChunk;

interface CallOptions {
  readonly config: LlmConfig;
  readonly model: string;
  readonly limits: WireLimits;
  readonly onBytes: (count: number) => void;
}

/**
 * Creates the provider for the Chat Completions API of OpenAI, compatible and local servers. The
 * first call loads the SDK.
 */
export function createChatProvider(config: LlmConfig, limits: WireLimits): WireProvider<Raw> {
  const info: ProviderInfo = {
    provider: 'openai',
    model: config.model ?? DEFAULT_OPENAI_MODEL,
    scripted: false,
  };
  return new WireProvider(
    {
      info,
      models: modelCards(config, info.model),
      card: (model) => modelCard(config, model),
      label: openAiLabel(config),
      startCall: (request, onBytes) =>
        startCall(request, { config, model: request.model ?? info.model, limits, onBytes }),
    },
    limits,
  );
}

async function startCall(
  request: LlmRequest,
  { config, model, limits, onBytes }: CallOptions,
): Promise<WireCall<Raw>> {
  const endpoint = openAiEndpoint(config, 'chat');
  const card = modelCard(config, model);
  const { params, warnings, cutAt } = buildRequest(request, card, endpoint);
  assertToolCount({ tools: request.tools }, endpoint);
  const client = await createOpenAiClient({ endpoint, limits, onBytes });
  const promptTokens = estimateTokens(params);
  return {
    card,
    promptTokens,
    async open(signal) {
      const { data: events, request_id: requestId } = await client.chat.completions
        .create(params, { signal })
        .withResponse();
      const translator = new ChatTranslator({
        endpoint,
        model: card.id,
        requestId,
        stopSequences: request.stopSequences ?? [],
        cutAt,
        warnings,
        promptTokens,
      });
      return {
        events,
        translate: (raw) => translator.translate(raw),
        end: () => translator.end(),
        usage: () => translator.usage(),
      };
    },
    toError: (error) => sdkFailure(error, endpoint, limits.clock.now()),
  };
}
