import type { LlmConfig } from '../../config/config.ts';
import type { LlmProvider } from '../../ports/llm-provider.ts';
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

export function connect(
  kind: WireKind,
  server: Pick<FakeServer, 'origin'>,
  options: LlmProviderOptions & { readonly config?: Partial<LlmConfig> } = {},
): LlmProvider {
  const { config, ...rest } = options;
  return createLlmProvider(
    {
      provider: kind.provider,
      wire: kind.api,
      model: kind.model,
      baseUrl: server.origin + kind.basePath,
      apiKey: GOOD_KEY,
      scenario: undefined,
      ...config,
    },
    { random: () => 0, ...rest },
  );
}
