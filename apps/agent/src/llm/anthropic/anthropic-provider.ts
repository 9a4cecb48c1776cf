import type Anthropic from '@anthropic-ai/sdk';
import type { LlmConfig } from '../../config/config.ts';
import { LlmError, type LlmRequest } from '../../ports/llm-provider.ts';
import { modelCard } from '../catalogue/model-cards.ts';
import { createWireProvider, type WireCallOptions } from '../create-wire-provider.ts';
import { type Endpoint, endpointOf } from '../endpoint.ts';
import { estimateTokens } from '../../usage/estimate-tokens.ts';
import { jsonOf, type ServerEvent } from '../event-text.ts';
import { eventFailure, parsed } from '../http-failure.ts';
import { openStream } from '../open-stream.ts';
import { networkError } from '../wire-failure.ts';
import type { WireCall, WireLimits, WireProvider, WireResponse } from '../wire-provider.ts';
import { buildRequest } from './request.ts';
import { MessagesTranslator } from './translator.ts';

type Raw = Anthropic.RawMessageStreamEvent;

const VENDOR = {
  provider: 'anthropic',
  name: 'Anthropic',
  baseUrl: 'https://api.anthropic.com',
  keyVariable: 'ANTHROPIC_API_KEY',
  path: '/v1/messages',
} as const;
const DEFAULT_MODEL = 'claude-sonnet-5-5';
const VERSION = '2023-06-01';

/**
 * Creates the provider for the Messages API of Anthropic or a compatible server.
 */
export function createAnthropicProvider(config: LlmConfig, limits: WireLimits): WireProvider<Raw> {
  const label = config.baseUrl === undefined ? VENDOR.name : `the server at ${config.baseUrl}`;
  const { provider } = VENDOR;
  return createWireProvider(
    { provider, defaultModel: DEFAULT_MODEL, label, startCall },
    config,
    limits,
  );
}

async function startCall(
  request: LlmRequest,
  { config, model, limits, onBytes }: WireCallOptions,
): Promise<WireCall<Raw>> {
  const endpoint = endpointOf({
    vendor: { ...VENDOR, keyVariable: config.keyVariable ?? VENDOR.keyVariable },
    baseUrl: config.baseUrl,
    apiKey: config.apiKey,
  });
  const card = modelCard(config, model);
  let built = buildRequest(request, { card, endpoint });
  let body = JSON.stringify(built.params);
  const promptTokens = estimateTokens(built.params, body);
  let withoutThinking = false;
  const send = async (signal: AbortSignal): Promise<WireResponse<Raw>> => {
    const { events, requestId } = await openStream({
      endpoint,
      headers: headersFor(endpoint),
      body,
      signal,
      limits,
      onBytes,
      convert: (event) => messagesEvent(event, endpoint),
    });
    const warnings = withoutThinking
      ? [
          ...built.warnings,
          'The provider no longer accepts the thinking of earlier turns; it was left out.',
        ]
      : built.warnings;
    const translator = new MessagesTranslator({
      endpoint,
      model: card.id,
      requestId,
      warnings,
      promptTokens,
    });
    return {
      events,
      translate: (raw) => translator.translate(raw),
      usage: () => translator.usage(),
    };
  };
  return {
    card,
    promptTokens,
    async open(signal) {
      try {
        return await send(signal);
      } catch (error) {
        if (withoutThinking || !refusesThinking(error)) throw error;
        withoutThinking = true;
        built = buildRequest(request, { card, endpoint, withoutThinking });
        body = JSON.stringify(built.params);
        return send(signal);
      }
    },
    toError: (error) => networkError(error, endpoint),
  };
}

/**
 * Whether the API refused the thinking, which is bound to the exact conversation before it. A
 * conversation without thinking is accepted.
 */
function refusesThinking(error: unknown): boolean {
  return (
    error instanceof LlmError &&
    error.status === 400 &&
    /thinking/i.test(error.message) &&
    /bound to|different conversation|cannot be modified|must remain|signature/i.test(error.message)
  );
}

/** Returns the headers of the API. Some gateways read only `x-api-key`. */
function headersFor({ isVendor, apiKey }: Endpoint): { readonly [name: string]: string } {
  return { 'anthropic-version': VERSION, ...(isVendor ? {} : { 'x-api-key': apiKey }) };
}

/**
 * Parses an event; undefined for one without a name, which has no meaning in this API.
 * @throws LlmError for an event that reports an error, or is not JSON
 */
function messagesEvent({ name, data }: ServerEvent, endpoint: Endpoint): Raw | undefined {
  if (name === undefined || name === 'ping') return undefined;
  if (name === 'error') throw eventFailure(parsed(data), endpoint);
  // The translator accepts anything and fails at what it cannot read.
  return jsonOf(data, endpoint) as Raw;
}
