import { describe, expect, test } from 'vitest';
import type { ModelSettings } from '../../ports/model-settings.ts';
import { cardWith } from '../../ports/testing/model-card.ts';
import { callsThenAnswer, type Script } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';
import { mergeSettings, modelSettingsData } from './model-settings.ts';

const FREE = cardWith({
  id: 'free',
  maxOutputTokens: 1000,
  assumed: [],
  takes: { efforts: ['low', 'high'] },
});
const STRICT = cardWith({
  id: 'strict',
  maxOutputTokens: 1000,
  assumed: [],
  takes: { temperature: false, requiredTools: false },
});

async function serviceWithCards(script: Script = () => ({ text: 'done' })): Promise<Service> {
  const service = await openService({
    script,
    tools: { a__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('text')) } },
  });
  service.llm.cards = [FREE, STRICT, cardWith({ id: 'unknown', takes: { maxTemperature: 1 } })];
  return service;
}

const agent = (modelSettings: ModelSettings) => ({
  name: 'a',
  instructions: undefined,
  model: 'free',
  servers: undefined,
  limits: {},
  modelSettings,
  toolRules: undefined,
});

test('settings are merged field by field, and null removes an inherited setting', () => {
  expect(
    mergeSettings({ temperature: 1, effort: 'low' }, { effort: null, maxTokens: 5 }, undefined),
  ).toEqual({ temperature: 1, maxTokens: 5 });
  expect(mergeSettings({ effort: 'low' }, { effort: null })).toBeUndefined();
  expect(mergeSettings(undefined)).toBeUndefined();
});

describe('the settings of a run', () => {
  test('reach every model call; those of the run take precedence over those of its agent', async () => {
    const service = await serviceWithCards(callsThenAnswer([[{ name: 'a__read' }]]));
    const { id: agentId } = await service.engine.createAgent(
      agent({ temperature: 0.2, maxTokens: 500, effort: 'high' }),
    );
    const { id } = await service.engine.createRun({
      prompt: 'go',
      agentId,
      modelSettings: { temperature: 0, effort: null, toolChoice: 'none' },
    });
    expect(await service.settled(id)).toMatchObject({
      modelSettings: { temperature: 0, maxTokens: 500, toolChoice: 'none' },
    });
    expect(service.llm.requests).toHaveLength(2);
    for (const request of service.llm.requests) {
      expect(request).toMatchObject({ temperature: 0, maxTokens: 500, toolChoice: 'none' });
      expect(request).not.toHaveProperty('effort');
    }
    expect((await service.event(id, 'run.queued')).data['model_settings']).toEqual({
      temperature: 0,
      max_tokens: 500,
      tool_choice: 'none',
    });
  });

  test('are absent from the model call without any', async () => {
    const service = await serviceWithCards();
    await service.settled((await service.engine.createRun({ prompt: 'go', model: 'free' })).id);
    expect(service.llm.requests[0]).not.toHaveProperty('temperature');
    expect(service.llm.requests[0]).not.toHaveProperty('effort');
    expect(service.llm.requests[0]).not.toHaveProperty('toolChoice');
    expect(service.llm.requests[0]?.maxTokens).toBe(1000);
  });

  test('require a tool call of the first message only', async () => {
    const service = await serviceWithCards(callsThenAnswer([[{ name: 'a__read' }]]));
    const { id } = await service.engine.createRun({
      prompt: 'go',
      model: 'free',
      modelSettings: { toolChoice: 'required' },
    });
    await service.settled(id);
    expect(service.llm.requests.map(({ toolChoice }) => toolChoice)).toEqual([
      'required',
      undefined,
    ]);
  });

  test('and its limit of output tokens: the lower applies', async () => {
    const service = await serviceWithCards();
    for (const outputTokens of [300, 900])
      await service.settled(
        (
          await service.engine.createRun({
            prompt: 'go',
            model: 'free',
            limits: { outputTokens },
            modelSettings: { maxTokens: 600 },
          })
        ).id,
      );
    expect(service.llm.requests.map(({ maxTokens }) => maxTokens)).toEqual([300, 600]);
  });

  test('are copied by a fork, which may replace or remove them', async () => {
    const service = await serviceWithCards();
    const { id } = await service.engine.createRun({
      prompt: 'go',
      model: 'free',
      modelSettings: { temperature: 1, effort: 'low' },
    });
    await service.settled(id);
    const fork = await service.engine.forkRun(id, {
      prompt: 'again',
      modelSettings: { effort: null, maxTokens: 7 },
    });
    expect(fork.modelSettings).toEqual({ temperature: 1, maxTokens: 7 });
    await service.settled(fork.id);
    await expect(
      service.engine.forkRun(id, { prompt: 'again', model: 'strict' }),
    ).rejects.toMatchObject({ code: 'unsupported_setting' });
  });
});

describe('a setting that the model does not support', () => {
  test.each<[string, ModelSettings, string]>([
    ['strict', { temperature: 0 }, 'the model scripted/strict takes no temperature; leave it out'],
    [
      'unknown',
      { temperature: 1.5 },
      'the model scripted/unknown takes a temperature of at most 1',
    ],
    [
      'free',
      { maxTokens: 1001 },
      'the model scripted/free writes at most 1000 tokens in one message',
    ],
    ['free', { effort: 'max' }, 'the model scripted/free takes the effort low, high'],
    ['strict', { effort: 'low' }, 'the model scripted/strict takes no effort; leave it out'],
    [
      'strict',
      { toolChoice: 'required' },
      'the model scripted/strict takes the tool choice auto, none',
    ],
    ['none', { maxTokens: 5 }, 'the provider scripted supports no model settings'],
  ])('is refused with the reason: %s %j', async (model, modelSettings, message) => {
    const service = await serviceWithCards();
    const [setting = ''] = Object.keys(modelSettingsData(modelSettings));
    const refusal = { code: 'unsupported_setting', problems: [{ path: `/${setting}`, message }] };
    await expect(
      service.engine.createRun({ prompt: 'go', model, modelSettings }),
    ).rejects.toMatchObject(refusal);
    await expect(
      service.engine.createAgent({ ...agent(modelSettings), model }),
    ).rejects.toMatchObject(refusal);
  });

  test('is accepted as a higher output limit of a model whose limit is assumed', async () => {
    const service = await serviceWithCards();
    const { id } = await service.engine.createRun({
      prompt: 'go',
      model: 'unknown',
      modelSettings: { maxTokens: 20_000, temperature: 1 },
    });
    await service.settled(id);
    expect(service.llm.requests[0]).toMatchObject({ maxTokens: 20_000, temperature: 1 });
  });
});
