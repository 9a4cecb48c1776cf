import type { ModelPreferences } from '@signalbox/mcp-core';
import { expect, test } from 'vitest';
import type { ModelCard } from '../../ports/model-card.ts';
import { cardWith } from '../../ports/testing/model-card.ts';
import { chooseModel, type ModelNeeds } from './choose-model.ts';

const PLAIN: ModelNeeds = { tools: false, images: false, audio: false, contextTokens: 100 };

function card(id: string, rest: Parameters<typeof cardWith>[0] = {}): ModelCard {
  return cardWith({ id, ...rest });
}

const price = (input: number): ModelCard['price'] => ({
  input,
  output: input * 4,
  cacheRead: 0,
  cacheWrite: 0,
});
const MEDIUM = card('claude-sonnet-9', {
  tier: 'medium',
  price: price(2),
  speed: 0.6,
  intelligence: 0.8,
  aliases: ['default'],
});
const SMALL = card('claude-haiku-9', {
  tier: 'small',
  price: price(0.5),
  speed: 1,
  intelligence: 0.4,
});
const LARGE = card('claude-opus-9', {
  tier: 'large',
  price: price(5),
  speed: 0.3,
  intelligence: 1,
  contextTokens: 1000,
  assumed: [],
});
const CARDS = [MEDIUM, SMALL, LARGE];

test.each<[string, ModelPreferences | undefined, string]>([
  ['nothing is preferred', undefined, MEDIUM.id],
  [
    'every weight is nothing',
    { costPriority: 0, speedPriority: 0, intelligencePriority: 0 },
    MEDIUM.id,
  ],
  ['cost counts', { costPriority: 1 }, SMALL.id],
  ['speed counts', { speedPriority: 1 }, SMALL.id],
  ['intelligence counts', { intelligencePriority: 1 }, LARGE.id],
  ['intelligence counts more than cost', { costPriority: 0.1, intelligencePriority: 1 }, LARGE.id],
  [
    'weights beyond their range count as the end of it',
    { costPriority: 1, intelligencePriority: -5 },
    SMALL.id,
  ],
  ['a weight that is no number counts nothing', { intelligencePriority: Number.NaN }, MEDIUM.id],
  ['a hint is part of a name', { hints: [{ name: 'OPUS' }] }, LARGE.id],
  ['a hint is an alias', { hints: [{ name: 'default' }], costPriority: 1 }, MEDIUM.id],
  ['hints go before weights', { hints: [{ name: 'haiku' }], intelligencePriority: 1 }, SMALL.id],
  [
    'the first hint that fits counts',
    { hints: [{ name: 'gemini-3' }, { name: 'haiku' }, { name: 'opus' }] },
    SMALL.id,
  ],
  ['blank hints count nothing', { hints: [{ name: ' ' }, {}, { name: 'opus' }] }, LARGE.id],
  [
    'weights choose among those that a hint fits',
    { hints: [{ name: 'claude' }], speedPriority: 1 },
    SMALL.id,
  ],
  [
    'a model of the same size stands in for a family that is not here',
    { hints: [{ name: 'gpt-4o-mini' }] },
    SMALL.id,
  ],
  ['likewise for a large one', { hints: [{ name: 'gemini-3-pro' }] }, LARGE.id],
  ['likewise for a medium one', { hints: [{ name: 'gpt-4.1' }], costPriority: 1 }, MEDIUM.id],
  [
    'a hint of no known family is no hint',
    { hints: [{ name: 'llama' }], speedPriority: 1 },
    SMALL.id,
  ],
])('when %s', (_case, preferences, expected) => {
  expect(chooseModel(CARDS, PLAIN, preferences)?.card.id).toBe(expected);
});

test('a model that does not support the request is not chosen, whatever the preferences', () => {
  const deaf = chooseModel(
    [MEDIUM, card('hears', { takes: { audio: true } })],
    { ...PLAIN, audio: true },
    { hints: [{ name: 'sonnet' }] },
  );
  expect(deaf?.card.id).toBe('hears');
  expect(
    chooseModel(CARDS, { ...PLAIN, contextTokens: 1001 }, { hints: [{ name: 'opus' }] })?.card.id,
  ).toBe(MEDIUM.id);
  expect(
    chooseModel([card('blind', { takes: { images: false, tools: false } })], {
      ...PLAIN,
      images: true,
    }),
  ).toBeUndefined();
  expect(
    chooseModel([card('blind', { takes: { images: false, tools: false } })], {
      ...PLAIN,
      tools: true,
    }),
  ).toBeUndefined();
});

test('an unknown price or rank counts as average', () => {
  expect(chooseModel([card('unknown'), LARGE, SMALL], PLAIN, { costPriority: 1 })?.card.id).toBe(
    SMALL.id,
  );
  expect(chooseModel([card('unknown'), LARGE], PLAIN, { costPriority: 1 })?.card.id).toBe(
    'unknown',
  );
});

test('the reason is returned', () => {
  expect(chooseModel(CARDS, PLAIN, { hints: [{ name: 'gpt-4o-mini' }] })?.why).toBe(
    'a small model, for the hint "gpt-4o-mini"',
  );
});
