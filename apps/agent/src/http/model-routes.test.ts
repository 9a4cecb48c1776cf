import { expect, test } from 'vitest';
import { createLlmProviders } from '../llm/providers.ts';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge, type ServiceEdge } from './testing/service-edge.ts';

async function edgeWithTwoProviders(): Promise<ServiceEdge> {
  const service = await openService({ script: () => ({ text: 'done' }) });
  const shared = { apiKey: 'secret-key', scenario: undefined, baseUrl: undefined };
  const llm = createLlmProviders([
    { ...shared, provider: 'openai', model: undefined },
    {
      ...shared,
      provider: 'openai',
      name: 'local',
      baseUrl: 'http://127.0.0.1:1/v1',
      model: 'qwen3:8b',
      models: { 'gpt-4o': { context_tokens: 4096 } },
    },
  ]);
  return createServiceEdge({ ...service, llm: llm as never });
}

test('the models of all providers are listed by id, page by page, without secrets', async () => {
  const edge = await edgeWithTwoProviders();
  const ids: string[] = [];
  let cursor = '';
  do {
    const { body } = await edge.request('GET', `/v1/models?limit=7${cursor}`);
    expect(body).not.toContain('secret-key');
    const page = JSON.parse(body) as { data: { id: string }[]; next_cursor?: string };
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor === undefined ? '' : `&cursor=${page.next_cursor}`;
  } while (cursor !== '');
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(['local/qwen3:8b', 'local/gpt-4o', 'openai/gpt-4o']));
  const { body } = await edge.request('GET', '/v1/models?provider=local');
  expect((JSON.parse(body) as { data: object[] }).data).toMatchObject([
    { id: 'local/gpt-4o', context_tokens: 4096, max_output_tokens: 16_384, assumed: [] },
    { id: 'local/qwen3:8b', is_default: false },
  ]);
});

test('a model is described by the name that a run would use', async () => {
  const edge = await edgeWithTwoProviders();
  const get = async (name: string): Promise<unknown> =>
    (await edge.request('GET', `/v1/models/${encodeURIComponent(name)}`)).json();
  expect(await get('openai/gpt-4o')).toMatchObject({
    provider: 'openai',
    model: 'gpt-4o',
    context_tokens: 128_000,
    max_output_tokens: 16_384,
    price: { input: 2.5, output: 10, cache_read: 1.25, cache_write: 2.5 },
    settings: { max_temperature: 2, efforts: [], tool_choices: ['auto', 'required', 'none'] },
    source: { kind: 'catalogue', as_of: '2026-11-20' },
  });
  expect(await get('gpt-6.1-sol')).toMatchObject({
    id: 'openai/gpt-6.1-sol',
    is_default: true,
    settings: { efforts: ['low', 'medium', 'high'] },
  });
  const unknown = await get('local/unheard-of');
  expect(unknown).toMatchObject({
    context_tokens: 32_768,
    max_output_tokens: 8192,
    assumed: ['context_tokens', 'max_output_tokens'],
    source: { kind: 'none' },
  });
  expect(unknown).not.toHaveProperty('price');
  expect(await get('gpt-4o')).toMatchObject({
    code: 'invalid_model',
    errors: [{ path: '/path/name' }],
  });
});
