import { expect, test } from 'vitest';
import type { LlmConfig } from '../config/config.ts';
import { ModelNameError } from '../ports/llm-providers.ts';
import { LlmError } from '../ports/llm-provider.ts';
import { createLlmProviders } from './providers.ts';
import { agentRequest, collect, finishOf, textOf, userText } from './testing/collect.ts';
import { startFakeServer } from './testing/fake-wire.ts';
import { configAt, WIRES } from './testing/provider-kinds.ts';

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

test('each provider sends its own key to its own server only, and an error names its variable without the key', async () => {
  const [, chat, messages] = WIRES;
  if (chat === undefined || messages === undefined) throw new Error('no wires');
  await using first = await startFakeServer(chat.wire);
  await using second = await startFakeServer(messages.wire);
  const both = createLlmProviders([
    configAt(chat, first),
    configAt(messages, second, {
      name: 'second',
      apiKey: 'the-second-key',
      keyVariable: 'SECOND_KEY',
    }),
  ]);
  const request = agentRequest([userText('Hi')]);
  const ask = (name: string) => collect(both.get(name)!, request);
  first.replies.push({ turn: { text: 'ok' } });
  expect(textOf(finishOf(await ask('openai')).message)).toBe('ok');
  const refused = await ask('second').catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(LlmError);
  expect((refused as LlmError).message).toContain('Set SECOND_KEY to a valid key');
  expect((refused as LlmError).message).not.toContain('the-second-key');
  expect(JSON.stringify(first.seen[0]?.headers)).not.toContain('the-second-key');
  expect(second.seen[0]?.headers['authorization']).toBe('Bearer the-second-key');
});
