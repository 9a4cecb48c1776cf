import type { LlmConfig } from '../config/config.ts';
import { LlmError, type LlmRequest } from '../ports/llm-provider.ts';
import { type Endpoint, endpointOf, labelOf } from './endpoint.ts';

const VENDOR = {
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  keyVariable: 'OPENAI_API_KEY',
} as const;
const MAX_TOOLS = 128;

export const DEFAULT_OPENAI_MODEL = 'gpt-6.1-sol';

/** Returns the configured endpoint. @throws LlmError `auth` without a usable key */
export function openAiEndpoint(config: LlmConfig, wire: 'responses' | 'chat'): Endpoint {
  const api =
    wire === 'chat'
      ? { provider: 'openai-chat', path: '/chat/completions' }
      : { provider: 'openai', path: '/responses' };
  return endpointOf({
    vendor: { ...VENDOR, ...api, keyVariable: config.keyVariable ?? VENDOR.keyVariable },
    baseUrl: config.baseUrl,
    apiKey: config.apiKey,
  });
}

export function openAiLabel({ baseUrl }: LlmConfig): string {
  return baseUrl === undefined ? VENDOR.name : `the server at ${baseUrl}`;
}

/** Checks the number of tools. @throws LlmError `invalid` for more tools than OpenAI accepts */
export function assertToolCount({ tools }: Pick<LlmRequest, 'tools'>, endpoint: Endpoint): void {
  if (!endpoint.isVendor || tools.length <= MAX_TOOLS) return;
  throw new LlmError(
    'invalid',
    `${labelOf(endpoint)} takes at most ${MAX_TOOLS} tools, and ${tools.length} are offered. Choose fewer with "allow" and "deny" of the servers, or name the servers of the run.`,
  );
}
