import { describe, expect, test } from 'vitest';
import { loadConfig, type ConfigFlags, type ConfigSources } from './load-config.ts';
import { problemOf, sources } from './testing/config-sources.ts';

const LOCAL = { wire: 'chat', base_url: 'http://127.0.0.1:11434/v1', model: 'qwen3:8b' };

async function providersOf(
  llm: object,
  env: ConfigSources['env'] = {},
  flags: ConfigFlags = {},
): Promise<readonly object[]> {
  const config = await loadConfig(sources({ llm }, { env, flags }));
  return [config.llm, ...(config.otherLlms ?? [])];
}

describe('further providers', () => {
  test('have a name, settings and a key of their own', async () => {
    const providers = await providersOf(
      {
        provider: 'anthropic',
        providers: {
          openai: { model: 'gpt-4o', max_output_tokens: 9 },
          local: { ...LOCAL, key_variable: 'LOCAL_KEY', models: { own: { context_tokens: 5 } } },
          demo: { provider: 'scripted', scenario: 's.json' },
        },
      },
      { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', LOCAL_KEY: 'l' },
    );
    expect(providers).toMatchObject([
      { provider: 'anthropic', apiKey: 'a' },
      { name: 'openai', provider: 'openai', apiKey: 'o', model: 'gpt-4o', maxOutputTokens: 9 },
      {
        name: 'local',
        provider: 'openai',
        wire: 'chat',
        baseUrl: LOCAL.base_url,
        apiKey: 'l',
        keyVariable: 'LOCAL_KEY',
        model: 'qwen3:8b',
        models: { own: { context_tokens: 5 } },
      },
      { name: 'demo', provider: 'scripted', scenario: '/etc/s.json', apiKey: undefined },
    ]);
  });

  test('at an address of their own never get the key of a vendor', async () => {
    const [, local] = await providersOf(
      { provider: 'openai', providers: { local: LOCAL } },
      { OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'http://other/v1' },
    );
    expect(local).toMatchObject({ baseUrl: LOCAL.base_url, apiKey: undefined });
  });

  test('take the base URL of the environment together with its key', async () => {
    const [, openai] = await providersOf(
      { provider: 'anthropic', providers: { openai: {} } },
      { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'http://other/v1' },
    );
    expect(openai).toMatchObject({ baseUrl: 'http://other/v1', apiKey: 'o' });
  });

  test('share the cassette, and need no key when it is replayed', async () => {
    const cassette = { mode: 'replay', file: '/a.jsonl' };
    expect(
      await providersOf(
        { provider: 'anthropic', providers: { openai: {} } },
        {
          SIGNALBOX_CASSETTE: 'replay:/a.jsonl',
        },
      ),
    ).toMatchObject([{ cassette }, { cassette, apiKey: 'none' }]);
  });

  test('are the vendors whose keys are set, when nothing chooses a provider', async () => {
    const env = { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a' };
    expect(await providersOf({}, env)).toMatchObject([
      { provider: 'openai' },
      { provider: 'anthropic', apiKey: 'a' },
    ]);
    expect(await providersOf({ provider: 'anthropic' }, env)).toHaveLength(1);
    expect(await providersOf({}, env, { provider: 'openai' })).toHaveLength(1);
    expect(await providersOf({}, { OPENAI_API_KEY: 'o' })).toHaveLength(1);
  });

  test('give their settings to the default provider of the same name', async () => {
    const file = { providers: { openai: { base_url: 'http://mine/v1', key_variable: 'K' } } };
    const env = { OPENAI_API_KEY: 'o', K: 'k' };
    expect(await providersOf(file, env, { model: 'm' })).toMatchObject([
      { provider: 'openai', baseUrl: 'http://mine/v1', apiKey: 'k', model: 'm' },
    ]);
    expect(await providersOf(file, env, { baseUrl: 'http://flag/v1' })).toMatchObject([
      { baseUrl: 'http://flag/v1' },
    ]);
  });

  test('become the default by a model that names them', async () => {
    const file = { provider: 'openai', model: 'local/qwen3:8b', providers: { local: LOCAL } };
    const env = { OPENAI_API_KEY: 'o' };
    expect(await providersOf(file, env)).toMatchObject([
      { name: 'local', model: 'qwen3:8b', apiKey: undefined },
      { provider: 'openai', model: undefined, apiKey: 'o' },
    ]);
    expect(
      await providersOf(
        {},
        { ...env, ANTHROPIC_API_KEY: 'a' },
        { model: 'anthropic/claude-opus-5' },
      ),
    ).toMatchObject([{ provider: 'anthropic', model: 'claude-opus-5' }, { provider: 'openai' }]);
    const own = { ...file, models: { 'local/qwen3:8b': {} } };
    expect(await providersOf(own, env)).toMatchObject([
      { provider: 'openai', model: 'local/qwen3:8b' },
      { name: 'local' },
    ]);
    expect(await providersOf({ ...file, model: 'meta/llama' }, env)).toMatchObject([
      { provider: 'openai', model: 'meta/llama' },
      { name: 'local' },
    ]);
  });

  test.each<[object, object, string]>([
    [
      { local: { base_url: 'http://x/v1' } },
      {},
      'llm.providers.local: set wire to "chat", "responses" or "messages"',
    ],
    [{ anthropic: { wire: 'chat', provider: 'anthropic' } }, {}, 'leave one of them out'],
    [
      { anthropic: {} },
      {},
      'llm.providers.anthropic: the environment variable ANTHROPIC_API_KEY is not set',
    ],
    [
      { local: { ...LOCAL, key_variable: 'LOCAL_KEY' } },
      {},
      'llm.providers.local: the environment variable LOCAL_KEY is not set',
    ],
    [
      { openai: {} },
      { OPENAI_API_KEY: 'o' },
      'llm.providers.openai: "openai" is the default provider',
    ],
    [{ 'a/b': LOCAL }, {}, 'must be 1 to 64 letters, digits'],
    [{ local: { ...LOCAL, api_key: 'sk-secret-1' } }, {}, 'key_variable of a provider names'],
  ])('%j is refused', async (providers, env, problem) => {
    const text = await problemOf(
      sources(
        { llm: { provider: 'openai', base_url: 'http://y/v1', providers } },
        { env: { ...env } },
      ),
    );
    expect(text).toContain(problem);
  });

  test('refuse a key in place of its variable, without repeating it', async () => {
    const text = await problemOf(
      sources({ llm: { providers: { local: { ...LOCAL, key_variable: 'sk-secret-1' } } } }),
    );
    expect(text).toContain('must be the name of an environment variable, not the key itself');
    expect(text).not.toContain('sk-secret-1');
  });
});
