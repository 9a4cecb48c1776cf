import type { LlmConfig } from '../config/config.ts';
import type { LlmProvider } from '../ports/llm-provider.ts';
import type { Clock } from '../ports/test-hooks.ts';
import { DEMO_SCENARIOS } from './scripted/demo-scenarios.ts';
import { loadScenarios, parseScenarios } from './scripted/load-scenarios.ts';
import { ScriptedProvider } from './scripted/scripted-provider.ts';
import { systemClock } from './system-clock.ts';

export interface LlmProviderOptions {
  /** Default the system's. */
  readonly clock?: Clock;
  /** Uniform in [0, 1), for the jitter of retries; default `Math.random`. */
  readonly random?: () => number;
  /** Whether scripted answers take the time their scenario says; default true. */
  readonly paced?: boolean;
}

/**
 * The adapter that the configuration names. Nothing is loaded or connected before the first `stream`.
 * @throws ConfigError when a scenario file cannot be used
 */
export function createLlmProvider(config: LlmConfig, options: LlmProviderOptions = {}): LlmProvider {
  const { clock = systemClock, random = Math.random, paced = true } = options;
  const scenarios = config.scenario === undefined ? parseScenarios(DEMO_SCENARIOS, 'demo-scenarios.ts') : loadScenarios(config.scenario);
  return new ScriptedProvider({ scenarios, clock, random, paced });
}
