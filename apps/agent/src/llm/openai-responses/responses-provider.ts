import type OpenAI from 'openai';
import type { LlmConfig } from '../../config/config.ts';
import { createOpenAiProvider } from '../openai-provider.ts';
import type { WireLimits, WireProvider } from '../wire-provider.ts';
import { buildRequest } from './request.ts';
import { ResponsesTranslator } from './translator.ts';

/**
 * Creates the provider for the Responses API of OpenAI or a compatible server.
 */
export function createResponsesProvider(
  config: LlmConfig,
  limits: WireLimits,
): WireProvider<OpenAI.Responses.ResponseStreamEvent> {
  return createOpenAiProvider(
    {
      name: 'responses',
      buildRequest,
      createTranslator: ({ maxCharacters }, context) =>
        new ResponsesTranslator({ ...context, maxCharacters }),
    },
    config,
    limits,
  );
}
