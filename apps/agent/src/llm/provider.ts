import type { LlmConfig } from '../config/config.ts';
import type { LlmProvider } from '../ports/llm-provider.ts';
import type { Clock } from '../ports/clock.ts';
import { systemClock } from '../system-clock.ts';
import type { Cassette } from './cassette/cassette.ts';
import { createAnthropicProvider } from './anthropic/anthropic-provider.ts';
import { createChatProvider } from './openai-chat/chat-provider.ts';
import { createResponsesProvider } from './openai-responses/responses-provider.ts';
import { DEMO_SCENARIOS } from './scripted/demo-scenarios.ts';
import { loadScenarios, parseScenarios } from './scripted/load-scenarios.ts';
import { ScriptedProvider } from './scripted/scripted-provider.ts';
import { wireOf } from './wire.ts';

export interface LlmProviderOptions {
  /** Default the system's. */
  readonly clock?: Clock;
  /** Uniform in [0, 1), for the jitter of retries; default `Math.random`. */
  readonly random?: () => number;
  /** Whether scripted answers take the time their scenario says; default true. */
  readonly paced?: boolean;
  /** Milliseconds that a provider may be silent while an answer is awaited; default 120 000. */
  readonly idleTimeoutMs?: number;
  /** Milliseconds for one model call with its retries; default 1 800 000. */
  readonly deadlineMs?: number;
  /** Stands between the providers and the network. */
  readonly cassette?: Pick<Cassette, 'fetch'> | undefined;
}

/**
 * The adapter that the configuration names. Nothing is loaded or connected before the first `stream`.
 * @throws ConfigError when a scenario file cannot be used
 */
export function createLlmProvider(
  config: LlmConfig,
  options: LlmProviderOptions = {},
): LlmProvider {
  const {
    clock = systemClock,
    random = Math.random,
    paced = true,
    idleTimeoutMs = 120_000,
    deadlineMs = 1_800_000,
    cassette,
  } = options;
  const limits = { clock, random, idleTimeoutMs, deadlineMs, send: cassette?.fetch };
  switch (config.provider) {
    case 'openai':
      return wireOf(config) === 'chat'
        ? createChatProvider(config, limits)
        : createResponsesProvider(config, limits);
    case 'anthropic':
      return createAnthropicProvider(config, limits);
    case 'scripted': {
      const scenarios =
        config.scenario === undefined
          ? parseScenarios(DEMO_SCENARIOS, 'demo-scenarios.ts')
          : loadScenarios(config.scenario);
      return new ScriptedProvider({ scenarios, clock, random, paced });
    }
  }
}
