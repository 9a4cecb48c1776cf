import type OpenAI from 'openai';
import type { LlmConfig } from '../../config/config.ts';
import type { LlmRequest } from '../../ports/llm-provider.ts';
import { modelCard } from '../catalogue/model-cards.ts';
import { estimateTokens } from '../../usage/estimate-tokens.ts';
import { createWireProvider, type WireCallOptions } from '../create-wire-provider.ts';
import {
  assertToolCount,
  createOpenAiClient,
  DEFAULT_OPENAI_MODEL,
  openAiEndpoint,
  openAiLabel,
} from '../openai-client.ts';
import { sdkFailure } from '../sdk-failure.ts';
import type { WireCall, WireLimits, WireProvider } from '../wire-provider.ts';
import { buildRequest } from './request.ts';
import { ResponsesTranslator } from './translator.ts';

type Raw = OpenAI.Responses.ResponseStreamEvent;

/**
 * Creates the provider for the Responses API of OpenAI or a compatible server. The first call loads
 * the SDK.
 */
export function createResponsesProvider(config: LlmConfig, limits: WireLimits): WireProvider<Raw> {
  return createWireProvider(
    {
      provider: 'openai',
      defaultModel: DEFAULT_OPENAI_MODEL,
      label: openAiLabel(config),
      startCall,
    },
    config,
    limits,
  );
}

async function startCall(
  request: LlmRequest,
  { config, model, limits, onBytes }: WireCallOptions,
): Promise<WireCall<Raw>> {
  const endpoint = openAiEndpoint(config, 'responses');
  const card = modelCard(config, model);
  const { params, warnings, maxCharacters } = buildRequest(request, card, endpoint);
  assertToolCount({ tools: request.tools }, endpoint);
  const client = await createOpenAiClient({ endpoint, limits, onBytes });
  const promptTokens = estimateTokens(params);
  return {
    card,
    promptTokens,
    async open(signal) {
      const { data: events, request_id: requestId } = await client.responses
        .create(params, { signal })
        .withResponse();
      const translator = new ResponsesTranslator({
        endpoint,
        model: card.id,
        requestId,
        stopSequences: request.stopSequences ?? [],
        maxCharacters,
        warnings,
        promptTokens,
      });
      return {
        events,
        translate: (raw) => translator.translate(raw),
        usage: () => translator.usage(),
      };
    },
    toError: (error) => sdkFailure(error, endpoint, limits.clock.now()),
  };
}
