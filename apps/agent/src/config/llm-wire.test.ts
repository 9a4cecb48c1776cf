import { describe, expect, test } from 'vitest';
import { isVendorAddress, wireOf } from '../llm/wire.ts';
import { chooseLlm, type LlmChoice } from './choose-llm.ts';
import { parseConfigFile } from './config-file.ts';

const NOTHING: LlmChoice = {
  provider: undefined,
  model: undefined,
  baseUrl: undefined,
  scenario: undefined,
};

describe('the wire API of a model', () => {
  test.each<[Parameters<typeof wireOf>[0], string]>([
    [{ provider: 'openai', baseUrl: undefined }, 'responses'],
    [{ provider: 'openai', baseUrl: 'https://api.openai.com/v1' }, 'responses'],
    [{ provider: 'openai', baseUrl: 'http://127.0.0.1:11434/v1' }, 'chat'],
    [{ provider: 'openai', baseUrl: 'http://127.0.0.1:11434/v1', wire: 'responses' }, 'responses'],
    [{ provider: 'openai', baseUrl: undefined, wire: 'chat' }, 'chat'],
    [{ provider: 'anthropic', baseUrl: 'http://127.0.0.1:11434' }, 'messages'],
  ])('%j is %s', (config, wire) => {
    expect(wireOf(config)).toBe(wire);
  });

  test("a host name that contains the name of the vendor is not the vendor's API", () => {
    expect(
      isVendorAddress({ provider: 'openai', baseUrl: 'https://api.openai.com.example.org/v1' }),
    ).toBe(false);
  });
});

describe('llm.wire in the configuration', () => {
  test.each([
    ['chat', 'openai'],
    ['responses', 'openai'],
    ['messages', 'anthropic'],
  ] as const)(
    '%s names the provider %s, with no key where a base URL is given',
    (wire, provider) => {
      expect(
        chooseLlm({ ...NOTHING, wire, baseUrl: 'http://127.0.0.1:1/v1' }, {}).llm,
      ).toMatchObject({ provider, wire, apiKey: undefined });
    },
  );

  test('takes precedence over the keys in the environment', () => {
    expect(
      chooseLlm({ ...NOTHING, wire: 'messages' }, { OPENAI_API_KEY: 'a', ANTHROPIC_API_KEY: 'b' })
        .llm,
    ).toMatchObject({ provider: 'anthropic', apiKey: 'b' });
  });

  test('of a provider other than the configured one is refused', () => {
    expect(() =>
      chooseLlm({ ...NOTHING, provider: 'anthropic', wire: 'chat' }, { ANTHROPIC_API_KEY: 'b' }),
    ).toThrow('llm.wire "chat" belongs to the provider "openai", and "anthropic" is configured');
  });
});

test.each([
  ['{"llm":{"wire":"completions"}}', 'llm.wire'],
  [
    '{"llm":{"models":{"m":{"price":{"input":-1,"output":1,"cache_read":0,"cache_write":0}}}}}',
    'llm.models.m.price.input',
  ],
  ['{"llm":{"models":{"m":{"price":{"input":1}}}}}', 'llm.models.m.price.output'],
  ['{"llm":{"models":{"m":{"speed":2}}}}', 'llm.models.m.speed'],
  ['{"llm":{"models":{"m":{"takes":{"smell":true}}}}}', 'smell'],
])('an invalid value is reported with its path: %s', (text, place) => {
  expect(() => parseConfigFile(text, 'signalbox.json')).toThrow(place);
});

test('the models of the configuration reach the provider', () => {
  const models = { 'qwen3:8b': { context_tokens: 8192 } };
  expect(
    chooseLlm({ ...NOTHING, models, wire: 'chat', baseUrl: 'http://127.0.0.1:1/v1' }, {}).llm
      .models,
  ).toEqual(models);
});
