import type { LlmConfig } from '../../config/config.ts';
import type { LlmProvider } from '../../ports/llm-provider.ts';
import type { LlmProviders } from '../../ports/llm-providers.ts';
import { createLlmProviders } from '../providers.ts';
import { createLlmProvider, type LlmProviderOptions } from '../provider.ts';
import { fakeAnthropic } from './fake-anthropic.ts';
import { fakeChat } from './fake-chat.ts';
import { fakeOpenAi } from './fake-openai.ts';
import { type FakeServer, type FakeWire, GOOD_KEY } from './fake-wire.ts';

/** An API adapter with its fake API. */
export interface WireKind {
  readonly provider: 'openai' | 'anthropic';
  readonly api: 'responses' | 'chat' | 'messages';
  readonly wire: FakeWire;
  /** Path of the base URL after the origin. */
  readonly basePath: string;
  readonly model: string;
  readonly keyVariable: string;
}

export const WIRES: readonly WireKind[] = [
  {
    provider: 'openai',
    api: 'responses',
    wire: fakeOpenAi,
    basePath: '/v1',
    model: 'gpt-6.1-sol',
    keyVariable: 'OPENAI_API_KEY',
  },
  {
    provider: 'openai',
    api: 'chat',
    wire: fakeChat,
    basePath: '/v1',
    model: 'qwen3:8b',
    keyVariable: 'OPENAI_API_KEY',
  },
  {
    provider: 'anthropic',
    api: 'messages',
    wire: fakeAnthropic,
    basePath: '',
    model: 'claude-sonnet-5-5',
    keyVariable: 'ANTHROPIC_API_KEY',
  },
];

type ConnectOptions = LlmProviderOptions & { readonly config?: Partial<LlmConfig> };

/** Returns the configuration of a provider at the fake API. */
export function configAt(
  kind: WireKind,
  server: Pick<FakeServer, 'origin'>,
  config: Partial<LlmConfig> = {},
): LlmConfig {
  return {
    provider: kind.provider,
    wire: kind.api,
    model: kind.model,
    baseUrl: server.origin + kind.basePath,
    apiKey: GOOD_KEY,
    scenario: undefined,
    ...config,
  };
}

export function connect(
  kind: WireKind,
  server: Pick<FakeServer, 'origin'>,
  { config, ...options }: ConnectOptions = {},
): LlmProvider {
  return createLlmProvider(configAt(kind, server, config), { random: () => 0, ...options });
}

/** Creates the providers of a service that has only this one. */
export function connectOnly(kind: WireKind, server: Pick<FakeServer, 'origin'>): LlmProviders {
  return createLlmProviders([configAt(kind, server)], { random: () => 0 });
}
