import type { LlmConfig } from '../config/config.ts';

/** The API that is spoken: OpenAI's Responses, OpenAI's Chat Completions, or Anthropic's Messages. */
export type Wire = 'responses' | 'chat' | 'messages';

const VENDOR_HOSTS: { readonly [provider: string]: string } = {
  openai: 'api.openai.com',
  anthropic: 'api.anthropic.com',
};

/** Whether the configured address is the vendor's own and not a compatible server's. */
export function isVendorAddress({
  provider,
  baseUrl,
}: Pick<LlmConfig, 'provider' | 'baseUrl'>): boolean {
  return baseUrl === undefined || new URL(baseUrl).host === VENDOR_HOSTS[provider];
}

/** The configured API, else that of the provider: compatible servers of OpenAI speak Chat Completions, OpenAI itself is asked by Responses. */
export function wireOf(config: Pick<LlmConfig, 'provider' | 'wire' | 'baseUrl'>): Wire {
  if (config.wire !== undefined) return config.wire;
  if (config.provider === 'anthropic') return 'messages';
  return isVendorAddress(config) ? 'responses' : 'chat';
}
