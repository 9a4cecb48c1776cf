import type OpenAI from 'openai';
import type { LlmConfig } from '../../config/config.ts';
import { createOpenAiProvider } from '../openai-provider.ts';
import type { WireLimits, WireProvider } from '../wire-provider.ts';
import { buildRequest } from './request.ts';
import { ChatTranslator } from './translator.ts';

/**
 * Creates the provider for the Chat Completions API of OpenAI, compatible and local servers.
 */
export function createChatProvider(
  config: LlmConfig,
  limits: WireLimits,
): WireProvider<OpenAI.ChatCompletionChunk> {
  return createOpenAiProvider<OpenAI.ChatCompletionChunk, ReturnType<typeof buildRequest>>(
    {
      name: 'chat',
      buildRequest,
      createTranslator: ({ cutAt }, context) => new ChatTranslator({ ...context, cutAt }),
    },
    config,
    limits,
  );
}
