import type { ModelCard, ModelFeatures } from '../model-card.ts';

/** Returns the card of an unknown model, with changes. */
export function cardWith({
  takes,
  ...changes
}: Partial<Omit<ModelCard, 'takes'>> & {
  readonly takes?: Partial<ModelFeatures>;
} = {}): ModelCard {
  return {
    id: 'other-1',
    aliases: [],
    tier: undefined,
    contextTokens: 32_768,
    maxOutputTokens: 8192,
    assumed: ['contextTokens', 'maxOutputTokens'],
    price: undefined,
    speed: undefined,
    intelligence: undefined,
    reasons: false,
    takes: {
      tools: true,
      images: true,
      audio: false,
      pdf: true,
      temperature: true,
      maxTemperature: 2,
      efforts: [],
      stopSequences: true,
      prefill: false,
      requiredTools: true,
      descriptionCharacters: undefined,
      ...takes,
    },
    source: { kind: 'none' },
    ...changes,
  };
}
