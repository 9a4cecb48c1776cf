import type { LlmConfig } from '../config/config.ts';

/** API to use: OpenAI's Responses, OpenAI's Chat Completions, or Anthropic's Messages. */
export type Wire = 'responses' | 'chat' | 'messages';

const VENDOR_HOSTS: { readonly [provider: string]: string } = {
  openai: 'api.openai.com',
  anthropic: 'api.anthropic.com',
};

/** Whether the configured address belongs to the vendor, not to a compatible server. */
export function isVendorAddress({
  provider,
  baseUrl,
}: Pick<LlmConfig, 'provider' | 'baseUrl'>): boolean {
  return baseUrl === undefined || new URL(baseUrl).host === VENDOR_HOSTS[provider];
}

/**
 * Returns the configured API, or the default: Responses for OpenAI itself, Chat Completions for
 * compatible servers.
 */
export function wireOf(config: Pick<LlmConfig, 'provider' | 'wire' | 'baseUrl'>): Wire {
  if (config.wire !== undefined) return config.wire;
  if (config.provider === 'anthropic') return 'messages';
  return isVendorAddress(config) ? 'responses' : 'chat';
}
