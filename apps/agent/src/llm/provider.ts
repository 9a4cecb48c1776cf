import type { LlmConfig } from '../config/config.ts';
import type { LlmProvider } from '../ports/llm-provider.ts';
import type { Clock } from '../ports/clock.ts';
import type { RateGates } from '../ports/rate-gate.ts';
import { systemClock } from '../system/system-clock.ts';
import type { Cassette } from './cassette/exchange.ts';
import { createAnthropicProvider } from './anthropic/anthropic-provider.ts';
import { createChatProvider } from './openai-chat/chat-provider.ts';
import { createResponsesProvider } from './openai-responses/responses-provider.ts';
import { DEMO_SCENARIOS } from './scripted/demo-scenarios.ts';
import { loadScenarios, parseScenarios } from './scripted/load-scenarios.ts';
import type { Scenario } from './scripted/scenario.ts';
import { ScriptedProvider } from './scripted/scripted-provider.ts';
import { wireOf } from './wire.ts';

export interface LlmProviderOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Returns a uniform value in [0, 1) for retry jitter. Default: `Math.random`. */
  readonly random?: () => number;
  /** Whether scripted answers keep the pace of their scenario. Default: true. */
  readonly paced?: boolean;
  /** Maximum milliseconds without data while a response is awaited. Default: 120,000. */
  readonly idleTimeoutMs?: number;
  /** Maximum milliseconds of a model call including retries. Default: 1,800,000. */
  readonly deadlineMs?: number;
  /** Gates of the providers. Default: in memory, with the default width. */
  readonly gates?: RateGates | undefined;
  /** Cassette between the providers and the network. */
  readonly cassette?: Pick<Cassette, 'fetch'> | undefined;
}

/**
 * Creates the configured provider. Loads and connects nothing before the first `stream`.
 * @throws ConfigError for an unusable scenario file
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
    gates,
  } = options;
  const limits = { clock, random, idleTimeoutMs, deadlineMs, gates, send: cassette?.fetch };
  switch (config.provider) {
    case 'openai':
      return wireOf(config) === 'chat'
        ? createChatProvider(config, limits)
        : createResponsesProvider(config, limits);
    case 'anthropic':
      return createAnthropicProvider(config, limits);
    case 'scripted': {
      const { name, scenario } = config;
      const own = scenario === undefined ? undefined : loadScenarios(scenario);
      const scenarios = () => own ?? demoScenarios();
      return new ScriptedProvider({ name, scenarios, file: scenario, clock, random, paced });
    }
  }
}

let demos: readonly Scenario[] | undefined;

/** Returns the scenarios of the demo. They are parsed when the first of them is played, which saves 3 % of the start. */
function demoScenarios(): readonly Scenario[] {
  return (demos ??= parseScenarios(DEMO_SCENARIOS, 'demo-scenarios.ts'));
}
