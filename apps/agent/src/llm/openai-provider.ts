import type { LlmConfig } from '../config/config.ts';
import type { LlmEvent, LlmRequest, Usage } from '../ports/llm-provider.ts';
import type { ModelCard } from '../ports/model-card.ts';
import { estimateTokens } from '../usage/estimate-tokens.ts';
import { modelCard } from './catalogue/model-cards.ts';
import { createWireProvider, type WireCallOptions } from './create-wire-provider.ts';
import type { Endpoint } from './endpoint.ts';
import {
  assertToolCount,
  DEFAULT_OPENAI_MODEL,
  openAiEndpoint,
  openAiLabel,
} from './openai-endpoint.ts';
import { openAiEvent } from './openai-events.ts';
import { openStream } from './open-stream.ts';
import type { STREAM_END } from './raw-events.ts';
import { networkError } from './wire-failure.ts';
import type { WireCall, WireLimits, WireProvider } from './wire-provider.ts';

/** The properties of a call that the translators of both APIs need. */
export interface TranslatorContext {
  readonly endpoint: Endpoint;
  /** The requested model, to which native messages are bound. */
  readonly model: string;
  readonly requestId: string | null | undefined;
  /** All requested stop sequences. */
  readonly stopSequences: readonly string[];
  readonly warnings: readonly string[];
  /** Estimated input tokens, used if the stream ends without a count. */
  readonly promptTokens: number;
}

interface BuiltRequest {
  readonly params: object;
  readonly warnings: readonly string[];
}

interface Translator<Raw> {
  translate(raw: Raw): readonly LlmEvent[];
  /** Returns the final events after the raw events; none for an incomplete answer. */
  end?(): readonly LlmEvent[];
  usage(): Usage;
}

/** The parts in which the Chat Completions API and the Responses API differ. */
export interface OpenAiApi<Raw, Built extends BuiltRequest> {
  readonly name: 'chat' | 'responses';
  /** @throws LlmError when the call is impossible */
  buildRequest(request: LlmRequest, card: ModelCard, endpoint: Endpoint): Built;
  /** Called for each response, also for that of a retry. */
  createTranslator(built: Built, context: TranslatorContext): Translator<Raw>;
}

/** Creates the provider for an API of OpenAI or a compatible server. */
export function createOpenAiProvider<Raw, Built extends BuiltRequest>(
  api: OpenAiApi<Raw, Built>,
  config: LlmConfig,
  limits: WireLimits,
): WireProvider<Raw> {
  return createWireProvider(
    {
      provider: 'openai',
      defaultModel: DEFAULT_OPENAI_MODEL,
      label: openAiLabel(config),
      startCall: (request, options) => startCall(api, request, options),
    },
    config,
    limits,
  );
}

async function startCall<Raw, Built extends BuiltRequest>(
  api: OpenAiApi<Raw, Built>,
  request: LlmRequest,
  { config, model, limits, onBytes }: WireCallOptions,
): Promise<WireCall<Raw>> {
  const endpoint = openAiEndpoint(config, api.name);
  const card = modelCard(config, model);
  const built = api.buildRequest(request, card, endpoint);
  assertToolCount({ tools: request.tools }, endpoint);
  const body = JSON.stringify(built.params);
  const promptTokens = estimateTokens(built.params, body);
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
      const translator = api.createTranslator(built, {
        endpoint,
        model: card.id,
        requestId,
        stopSequences: request.stopSequences ?? [],
        warnings: built.warnings,
        promptTokens,
      });
      return {
        events,
        translate: (raw) => translator.translate(raw),
        end: () => translator.end?.() ?? [],
        usage: () => translator.usage(),
      };
    },
    toError: (error) => networkError(error, endpoint),
  };
}
