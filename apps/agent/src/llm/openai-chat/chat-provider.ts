import type OpenAI from 'openai';
import type { LlmConfig } from '../../config/config.ts';
import type { LlmRequest } from '../../ports/llm-provider.ts';
import { modelCard } from '../catalogue/model-cards.ts';
import { estimateTokens } from '../../usage/estimate-tokens.ts';
import { createWireProvider, type WireCallOptions } from '../create-wire-provider.ts';
import {
  assertToolCount,
  DEFAULT_OPENAI_MODEL,
  openAiEndpoint,
  openAiLabel,
} from '../openai-endpoint.ts';
import { openAiEvent } from '../openai-events.ts';
import { openStream } from '../open-stream.ts';
import type { STREAM_END } from '../raw-events.ts';
import { networkError } from '../wire-failure.ts';
import type { WireCall, WireLimits, WireProvider } from '../wire-provider.ts';
import { buildRequest } from './request.ts';
import { ChatTranslator } from './translator.ts';

type Raw = OpenAI.ChatCompletionChunk;

/**
 * Creates the provider for the Chat Completions API of OpenAI, compatible and local servers.
 */
export function createChatProvider(config: LlmConfig, limits: WireLimits): WireProvider<Raw> {
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
  const endpoint = openAiEndpoint(config, 'chat');
  const card = modelCard(config, model);
  const { params, warnings, cutAt } = buildRequest(request, card, endpoint);
  assertToolCount({ tools: request.tools }, endpoint);
  const body = JSON.stringify(params);
  const promptTokens = estimateTokens(params, body);
  return {
    card,
    promptTokens,
    async open(signal) {
      const { events, requestId } = await openStream({
        endpoint,
        body,
        signal,
        limits,
        onBytes,
        // The translator accepts anything and fails at what it cannot read.
        convert: (event) => openAiEvent(event, endpoint) as Raw | typeof STREAM_END,
      });
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
    toError: (error) => networkError(error, endpoint),
  };
}
