import { expect, test } from 'vitest';
import type { LlmConfig } from '../config/config.ts';
import { ModelNameError } from '../ports/llm-providers.ts';
import { createLlmProviders } from './providers.ts';

const OPENAI: LlmConfig = {
  provider: 'openai',
  model: undefined,
  baseUrl: undefined,
  apiKey: 'k',
  scenario: undefined,
};
const ANTHROPIC: LlmConfig = { ...OPENAI, provider: 'anthropic' };
const LOCAL: LlmConfig = {
  ...OPENAI,
  name: 'local',
  baseUrl: 'http://127.0.0.1:11434/v1',
  model: 'qwen3:8b',
  models: { 'gpt-4o': {}, 'anthropic/odd-name': {}, own: { aliases: ['smart'] } },
};
const providers = createLlmProviders([OPENAI, ANTHROPIC, LOCAL]);

test.each([
  ['openai/gpt-4o', 'openai', 'gpt-4o'],
  ['local/gpt-4o', 'local', 'gpt-4o'],
  ['local/anything/else', 'local', 'anything/else'],
  ['anthropic/claude-unheard-of', 'anthropic', 'claude-unheard-of'],
  ['claude-opus-5', 'anthropic', 'claude-opus-5'],
  ['claude-haiku-4-5-20251001', 'anthropic', 'claude-haiku-4-5-20251001'],
  ['smart', 'local', 'smart'],
  ['qwen3:8b', 'local', 'qwen3:8b'],
  // A configured name that looks like a provider and a model.
  ['anthropic/odd-name', 'local', 'anthropic/odd-name'],
  ['unheard-of', 'openai', 'unheard-of'],
])('the model %s belongs to %s', (name, provider, model) => {
  expect(providers.resolve(name)).toEqual({ provider, model });
});

test('a bare name that several providers offer is refused with the names to use', () => {
  expect(() => providers.resolve('gpt-4o')).toThrow(
    new ModelNameError(
      'Several providers offer the model gpt-4o. Name one of openai/gpt-4o, local/gpt-4o.',
    ),
  );
});

test('an unknown provider is refused where no model has a slash in its id', () => {
  expect(() => providers.resolve('antropic/claude-opus-5')).toThrow(
    'No provider is named "antropic". Configured providers: openai, anthropic, local.',
  );
  expect(createLlmProviders([LOCAL]).resolve('meta/llama')).toEqual({
    provider: 'local',
    model: 'meta/llama',
  });
});

test('a name that ends with the slash selects no model', () => {
  expect(() => providers.resolve('local/')).toThrow('No provider is named "local"');
});

test('each provider has its own name, models and cards', () => {
  expect(providers.names).toEqual(['openai', 'anthropic', 'local']);
  expect(providers.info).toMatchObject({ provider: 'openai', model: 'gpt-6.1-sol' });
  expect(providers.get('local')?.info).toMatchObject({ provider: 'local', model: 'qwen3:8b' });
  expect(providers.get('none')).toBeUndefined();
  expect(providers.listed('local').map(({ id }) => id)).toContain('own');
  expect(providers.listed('anthropic').map(({ id }) => id)).toContain('claude-opus-5');
});
