import { afterAll, beforeAll, expect, test } from 'vitest';
import { LLMock } from '../../peers/src/mock-models.ts';
import { ApiClient } from './support/client.ts';
import { startService, temporaryFolder, type Service } from './support/service.ts';

const KEYS = { openai: 'key-of-the-first-mock', anthropic: 'key-of-the-second-mock' };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let openai: LLMock;
let anthropic: LLMock;
let api: ApiClient;

beforeAll(async () => {
  folder = await temporaryFolder();
  [openai, anthropic] = ['the first', 'the second'].map((name) => {
    const mock = new LLMock({ port: 0, strict: true });
    mock.addFixturesFromJSON([
      { match: { userMessage: 'Who' }, response: { content: `I am ${name}.` } },
    ]);
    return mock;
  }) as [LLMock, LLMock];
  service = await startService({
    folder: folder.path,
    env: { OPENAI_API_KEY: KEYS.openai, SECOND_KEY: KEYS.anthropic },
    config: {
      llm: {
        wire: 'responses',
        base_url: `${await openai.start()}/v1`,
        providers: {
          second: {
            wire: 'messages',
            base_url: await anthropic.start(),
            key_variable: 'SECOND_KEY',
            model: 'claude-haiku-4-5',
            models: { 'house-model': { context_tokens: 50_000, takes: { temperature: true } } },
          },
        },
      },
    },
  });
  api = new ApiClient(service.url);
});
afterAll(async () => {
  await service.stop();
  await Promise.all([openai.stop(), anthropic.stop()]);
  await folder.remove();
});

test('runs use two providers at once, by provider/model or by a bare name, without their keys in any response, event or log line', async () => {
  const started = await Promise.all([
    api.start('Who are you?'),
    api.start('Who are you?', { model: 'second/claude-haiku-4-5', max_tokens: 99 }),
    api.start('Who are you?', { model: 'house-model', temperature: 0.5, tool_choice: 'none' }),
  ]);
  const runs = await Promise.all(started.map(({ id }) => api.settled(id)));
  expect(runs).toMatchObject([
    { provider: 'openai', model: 'gpt-6.1-sol', answer: 'I am the first.' },
    { provider: 'second', model: 'claude-haiku-4-5', answer: 'I am the second.', max_tokens: 99 },
    { provider: 'second', model: 'house-model', answer: 'I am the second.', temperature: 0.5 },
  ]);
  expect(openai.getRequests().map(({ body }) => body)).toMatchObject([{ model: 'gpt-6.1-sol' }]);
  const sent = anthropic.getRequests().map(({ body }) => body as { readonly model: string });
  expect(sent.toSorted((left, right) => (left.model < right.model ? -1 : 1))).toMatchObject([
    { model: 'claude-haiku-4-5', max_tokens: 99 },
    { model: 'house-model', temperature: 0.5 },
  ]);
  const seen = JSON.stringify([
    runs,
    await Promise.all(runs.map(({ id }) => api.events(id))),
    await api.get('/v1/models'),
    service.log(),
  ]);
  for (const key of Object.values(KEYS)) expect(seen).not.toContain(key);
});

test('a thread and a fork continue a conversation at the other provider', async () => {
  const { id: thread } = await api.post<{ id: string }>('/v1/threads');
  const first = await api.settled((await api.start('Who is it?', { thread_id: thread })).id);
  const second = await api.settled(
    (await api.start('Who else?', { thread_id: thread, model: 'second/claude-haiku-4-5' })).id,
  );
  expect([first, second]).toMatchObject([
    { answer: 'I am the first.' },
    { answer: 'I am the second.' },
  ]);
  expect(JSON.stringify(anthropic.getRequests().at(-1)?.body)).toContain('I am the first.');
  const fork = await api.post<{ id: string }>(`/v1/runs/${second.id}/fork`, {
    prompt: 'Who now?',
    model: 'openai/gpt-6.1-sol',
  });
  expect(await api.settled(fork.id)).toMatchObject({
    provider: 'openai',
    answer: 'I am the first.',
  });
});

test('the models of both providers are listed, and a setting of the wrong provider is refused', async () => {
  const { data } = await api.get<{ data: readonly { id: string }[] }>('/v1/models');
  expect(data.map(({ id }) => id)).toEqual([
    'openai/gpt-6.1-sol',
    'second/claude-haiku-4-5',
    'second/house-model',
  ]);
  await expect(
    api.start('Who?', { model: 'second/claude-haiku-4-5', temperature: 1 }),
  ).rejects.toMatchObject({ status: 400, code: 'unsupported_setting' });
});
