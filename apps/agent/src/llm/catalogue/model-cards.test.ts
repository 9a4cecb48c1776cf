import { describe, expect, test } from 'vitest';
import type { LlmConfig } from '../../config/config.ts';
import type { Usage } from '../../ports/llm-provider.ts';
import { withCost } from './cost.ts';
import { listedModels, modelCard, modelCards, offersModel } from './model-cards.ts';
import { MODEL_TABLE } from './model-table.ts';

const OPENAI: LlmConfig = {
  provider: 'openai',
  model: undefined,
  baseUrl: undefined,
  apiKey: 'k',
  scenario: undefined,
};
const ANTHROPIC: LlmConfig = { ...OPENAI, provider: 'anthropic' };
const LOCAL: LlmConfig = { ...OPENAI, baseUrl: 'http://127.0.0.1:11434/v1' };

test('the table has the context, the output limit, the price and the ranks of every model', () => {
  for (const { models } of Object.values(MODEL_TABLE))
    for (const [id, entry] of Object.entries(models))
      expect(Object.keys(entry), id).toEqual(
        expect.arrayContaining([
          'context_tokens',
          'max_output_tokens',
          'price',
          'speed',
          'intelligence',
        ]),
      );
});

describe('the card of a model', () => {
  test('of the vendor is in the catalogue, by its dated name too', () => {
    expect(modelCard(ANTHROPIC, 'claude-haiku-4-5-20251001')).toMatchObject({
      id: 'claude-haiku-4-5-20251001',
      tier: 'small',
      contextTokens: 200_000,
      price: { input: 1, output: 5 },
    });
    expect(modelCard(OPENAI, 'gpt-4o-2024-11-20').price?.input).toBe(2.5);
  });

  test('of an unknown model has assumed limits, no price and no ranks', () => {
    for (const id of ['some-model', 'constructor', '__proto__']) {
      expect(modelCard(OPENAI, id)).toMatchObject({
        tier: undefined,
        contextTokens: 128_000,
        maxOutputTokens: 8192,
        assumed: ['contextTokens', 'maxOutputTokens'],
        price: undefined,
        speed: undefined,
        intelligence: undefined,
        reasons: false,
        source: { kind: 'none' },
      });
    }
    expect(modelCard(LOCAL, 'some-model')).toMatchObject({ contextTokens: 32_768 });
  });

  test('says where its data comes from, and which limits are assumed', () => {
    const models = { mine: { context_tokens: 9000 }, 'gpt-4.1': { max_output_tokens: 10 } };
    expect(modelCard({ ...OPENAI, models }, 'gpt-4.1')).toMatchObject({
      source: { kind: 'catalogue', asOf: '2026-11-20' },
      assumed: [],
    });
    expect(modelCard({ ...OPENAI, models }, 'mine')).toMatchObject({
      source: { kind: 'configuration' },
      assumed: ['maxOutputTokens'],
    });
  });

  test('at a compatible server has no price from the catalogue', () => {
    expect(modelCard(LOCAL, 'gpt-4o').price).toBeUndefined();
  });

  test('is found by an alias, but a model id takes precedence', () => {
    const models = {
      'qwen3:8b': { aliases: ['smart', 'gemma4'], context_tokens: 32_768 },
      gemma4: { context_tokens: 8192 },
    };
    expect(modelCard({ ...LOCAL, models }, 'smart')).toMatchObject({
      id: 'qwen3:8b',
      contextTokens: 32_768,
    });
    expect(modelCard({ ...LOCAL, models }, 'gemma4')).toMatchObject({
      id: 'gemma4',
      contextTokens: 8192,
    });
    expect(
      modelCard({ ...OPENAI, models: { mine: { aliases: ['gpt-4o'] } } }, 'gpt-4o'),
    ).toMatchObject({ id: 'gpt-4o', contextTokens: 128_000 });
  });

  test('has the output tokens of the model, capped by the general setting or replaced by the setting for the model', () => {
    const models = { 'gpt-4o': { max_output_tokens: 50_000 } } as const;
    expect(modelCard(OPENAI, 'gpt-4.1').maxOutputTokens).toBe(32_768);
    expect(modelCard({ ...OPENAI, maxOutputTokens: 20_000 }, 'gpt-4.1').maxOutputTokens).toBe(
      20_000,
    );
    expect(modelCard({ ...OPENAI, maxOutputTokens: 90_000 }, 'gpt-4.1').maxOutputTokens).toBe(
      32_768,
    );
    expect(
      modelCard({ ...OPENAI, maxOutputTokens: 20_000, models }, 'gpt-4o').maxOutputTokens,
    ).toBe(50_000);
    expect(modelCard({ ...LOCAL, maxOutputTokens: 20_000 }, 'some-model').maxOutputTokens).toBe(
      20_000,
    );
    expect(modelCard(LOCAL, 'some-model')).toMatchObject({
      maxOutputTokens: 8192,
      assumed: ['contextTokens', 'maxOutputTokens'],
    });
  });

  test.each<[string, Partial<LlmConfig>, number | undefined]>([
    ['at OpenAI by Responses', {}, undefined],
    ['at Anthropic', { provider: 'anthropic' }, undefined],
    ['by Chat Completions', { wire: 'chat' }, 1024],
    ['by Chat Completions at a compatible server', { baseUrl: 'http://127.0.0.1:11434/v1' }, 1024],
    [
      'by Responses at a compatible server',
      { baseUrl: 'http://127.0.0.1:11434/v1', wire: 'responses' },
      undefined,
    ],
    [
      'by Responses at Azure',
      { baseUrl: 'https://mine.openai.azure.com/openai/v1', wire: 'responses' },
      1024,
    ],
    ['where the configuration says so', { wire: 'chat', toolDescriptionCharacters: 9000 }, 9000],
  ])('%s has the length limit of tool descriptions', (_where, config, expected) => {
    expect(modelCard({ ...OPENAI, ...config }, 'm').takes.descriptionCharacters).toBe(expected);
  });

  test('takes each field from the configuration, else from the catalogue', () => {
    const models = {
      'gpt-4.1': { tier: 'large', takes: { images: false } },
      'qwen3:8b': {
        context_tokens: 32_768,
        price: { input: 0, output: 0, cache_read: 0, cache_write: 0 },
      },
    } as const;
    expect(modelCard({ ...OPENAI, models }, 'gpt-4.1')).toMatchObject({
      tier: 'large',
      contextTokens: 1_047_576,
      takes: { images: false, tools: true },
    });
    expect(modelCard({ ...LOCAL, models }, 'qwen3:8b')).toMatchObject({
      contextTokens: 32_768,
      price: { input: 0 },
    });
  });

  test.each<[LlmConfig, string, boolean, boolean]>([
    [OPENAI, 'gpt-6.1-sol', true, false],
    [OPENAI, 'gpt-5.3-chat-latest', false, true],
    [OPENAI, 'o4-mini', true, false],
    [OPENAI, 'gpt-4.1', false, true],
    [LOCAL, 'gpt-oss:20b', false, true],
    [ANTHROPIC, 'claude-sonnet-4-6', true, false],
    [ANTHROPIC, 'claude-haiku-4-5', false, false],
    [ANTHROPIC, 'claude-opus-9', true, false],
  ])('%j %s: reasons %s, takes a temperature %s', (config, id, reasons, temperature) => {
    const card = modelCard(config, id);
    expect({ reasons: card.reasons, temperature: card.takes.temperature }).toEqual({
      reasons,
      temperature,
    });
  });

  test('accepts files and audio only if the API supports them', () => {
    expect(modelCard(LOCAL, 'qwen3:8b').takes).toMatchObject({
      pdf: false,
      audio: false,
      images: true,
      stopSequences: true,
    });
    expect(modelCard({ ...OPENAI, wire: 'chat' }, 'gpt-audio-mini').takes).toMatchObject({
      audio: true,
      pdf: true,
    });
    expect(modelCard(OPENAI, 'gpt-audio-mini').takes).toMatchObject({
      audio: false,
      stopSequences: false,
    });
  });
});

test('the allowed models are the default model and the models named in the configuration', () => {
  expect(
    modelCards({ ...OPENAI, models: { 'gpt-6-luna': {}, 'gpt-6.1-sol': {} } }, 'gpt-6.1-sol').map(
      ({ id }) => id,
    ),
  ).toEqual(['gpt-6.1-sol', 'gpt-6-luna']);
});

describe('the models of a provider', () => {
  test('are those of the model table, and those of the configuration before them', () => {
    const ids = listedModels({ ...OPENAI, models: { mine: {} } }, 'gpt-4o').map(({ id }) => id);
    expect(ids.slice(0, 2)).toEqual(['gpt-4o', 'mine']);
    expect(ids.toSorted()).toEqual(
      [...Object.keys(MODEL_TABLE['openai']?.models ?? {}), 'mine'].toSorted(),
    );
  });

  test('at a compatible server are only those of the configuration', () => {
    expect(listedModels(LOCAL, 'qwen3:8b').map(({ id }) => id)).toEqual(['qwen3:8b']);
    expect(offersModel(LOCAL, 'qwen3:8b', 'gpt-4o')).toBe(false);
    expect(offersModel(LOCAL, 'qwen3:8b', 'qwen3:8b')).toBe(true);
    expect(offersModel(OPENAI, 'gpt-4o', 'gpt-4.1-2025-04-14')).toBe(true);
  });

  test('in the table have a context and an output limit together, or neither', () => {
    for (const { models, asOf, source } of Object.values(MODEL_TABLE)) {
      expect([asOf, source]).toEqual([
        expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        expect.stringMatching(/^https:/),
      ]);
      for (const { context_tokens: context, max_output_tokens: output } of Object.values(models))
        expect(
          (context ?? 0) > (output ?? 0) || (context === undefined && output === undefined),
        ).toBe(true);
    }
  });
});

describe('the cost of a call', () => {
  const usage: Usage = {
    input: 100_000,
    cacheRead: 40_000,
    cacheWrite: 10_000,
    output: 2000,
    reasoning: 500,
    source: 'reported',
  };

  test('charges each part of the prompt at its price, and thinking as output', () => {
    const price = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 };
    expect(withCost(usage, price).costUsd).toBeCloseTo(
      0.05 * 2 + 0.04 * 0.1 + 0.01 * 2.5 + 0.002 * 10,
      10,
    );
  });

  test('uses the higher prices for the whole call when the prompt exceeds their threshold', () => {
    const above = { inputTokens: 99_999, input: 4, output: 15, cacheRead: 0.2, cacheWrite: 5 };
    const price = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, above };
    expect(withCost(usage, price).costUsd).toBeCloseTo(
      0.05 * 4 + 0.04 * 0.2 + 0.01 * 5 + 0.002 * 15,
      10,
    );
    expect(withCost({ ...usage, input: 99_999 }, price).costUsd).toBeLessThan(0.2);
  });

  test('is unknown, not zero, without a price', () => {
    expect(withCost(usage, undefined)).not.toHaveProperty('costUsd');
  });
});
