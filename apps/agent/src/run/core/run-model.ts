import { LlmError, type LlmProvider } from '../../ports/llm-provider.ts';
import { type LlmProviders, ModelNameError, type ModelRef } from '../../ports/llm-providers.ts';
import type { ModelCard } from '../../ports/model-card.ts';
import { EngineError } from '../../ports/run-engine.ts';
import type { Run } from '../../ports/store/run.ts';

/** Returns the card of a model. Undefined for a provider without models. */
export function cardOf(llm: LlmProviders, { provider, model }: ModelRef): ModelCard | undefined {
  return llm.get(provider)?.card(model);
}

/** Returns a provider. @throws LlmError `invalid` when it is not configured any more */
export function providerOf(llm: LlmProviders, name: string): LlmProvider {
  const provider = llm.get(name);
  if (provider !== undefined) return provider;
  throw new LlmError(
    'invalid',
    `The provider ${name} of this run is not configured. Add it to llm.providers of signalbox.json, restart the service and resume the run; or fork the run with another model.`,
  );
}

/** Finds the model that a request names; without a name, the configured model. */
export function resolveModel(llm: LlmProviders, name: string | undefined): ModelRef {
  if (name === undefined) return llm.info;
  try {
    return llm.resolve(name);
  } catch (error) {
    if (!(error instanceof ModelNameError)) throw error;
    const { message } = error;
    throw new EngineError('invalid_model', message, [{ path: '/model', message }]);
  }
}

/**
 * Returns a notice about the model of a run: that its answers are scripted, or that its limits are
 * assumed.
 */
export function modelNotice(
  llm: LlmProviders,
  run: Pick<Run, 'kind' | 'provider' | 'model' | 'scripted'>,
): string | undefined {
  if (run.scripted) return llm.get(run.provider)?.info.notice;
  const card = run.kind === 'call' ? undefined : cardOf(llm, run);
  if (card?.source.kind !== 'none') return undefined;
  return `The model ${run.model} is unknown: a context of ${card.contextTokens} tokens and at most ${card.maxOutputTokens} output tokens are assumed, and it has no price. Set them in llm.models of signalbox.json.`;
}
