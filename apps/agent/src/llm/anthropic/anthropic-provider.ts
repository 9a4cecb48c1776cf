import type Anthropic from '@anthropic-ai/sdk';
import type { LlmConfig } from '../../config/config.ts';
import type { LlmError, LlmRequest } from '../../ports/llm-provider.ts';
import { modelCard } from '../catalogue/model-cards.ts';
import { createWireProvider, type WireCallOptions } from '../create-wire-provider.ts';
import { type Endpoint, endpointOf } from '../endpoint.ts';
import { estimateTokens } from '../../usage/estimate-tokens.ts';
import { importInTurns } from '../import-in-turns.ts';
import { sdkFailure } from '../sdk-failure.ts';
import { wireFetch } from '../wire-fetch.ts';
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
const PASSED_HEADERS = new Set(['accept', 'content-type', 'user-agent', 'anthropic-version']);

const importSdk = importInTurns(
  [
    () => import('@anthropic-ai/sdk/resources/messages'),
    () => import('@anthropic-ai/sdk/resources/beta/messages'),
    () => import('@anthropic-ai/sdk/resources'),
  ],
  () => import('@anthropic-ai/sdk'),
);

/**
 * Creates the provider for the Messages API of Anthropic or a compatible server. The first call
 * loads the SDK.
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
  const promptTokens = estimateTokens(built.params);
  let withoutThinking = false;
  const client = await createClient(endpoint, { limits, onBytes });
  const toError = (error: unknown): LlmError => sdkFailure(error, endpoint, limits.clock.now());
  const send = async (signal: AbortSignal): Promise<WireResponse<Raw>> => {
    const { data: events, request_id: requestId } = await client.messages
      .create(built.params, { signal })
      .withResponse();
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
        if (withoutThinking || !refusesThinking(toError(error))) throw error;
        withoutThinking = true;
        built = buildRequest(request, { card, endpoint, withoutThinking });
        return send(signal);
      }
    },
    toError,
  };
}

/**
 * Whether the API refused the thinking, which is bound to the exact conversation before it. A
 * conversation without thinking is accepted.
 */
function refusesThinking({ status, message }: LlmError): boolean {
  return (
    status === 400 &&
    /thinking/i.test(message) &&
    /bound to|different conversation|cannot be modified|must remain|signature/i.test(message)
  );
}

/**
 * Creates a client with every option set, so that no variable or profile of the SDK can redirect
 * the traffic. Some gateways read only `x-api-key`.
 */
async function createClient(
  endpoint: Endpoint,
  { limits, onBytes }: { readonly limits: WireLimits; readonly onBytes: (count: number) => void },
): Promise<Anthropic> {
  const { Anthropic: Client } = await importSdk();
  const headers = {
    authorization: `Bearer ${endpoint.apiKey}`,
    ...(endpoint.isVendor ? {} : { 'x-api-key': endpoint.apiKey }),
  };
  return new Client({
    apiKey: endpoint.apiKey,
    webhookKey: null,
    baseURL: endpoint.baseUrl,
    maxRetries: 0,
    timeout: limits.deadlineMs,
    logLevel: 'off',
    openTelemetry: false,
    fetch: wireFetch({ endpoint, headers, passed: PASSED_HEADERS, onBytes, send: limits.send }),
  });
}
