import { expect, test } from 'vitest';
import { cardWith } from '../../ports/testing/model-card.ts';
import { openService } from '../testing/service.ts';
import { modelNotice } from './run-model.ts';

test('a run whose provider is no longer configured fails with the remedy, and a fork of it needs another model', async () => {
  const service = await openService({ script: () => ({ text: 'done' }), isStarted: false });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  const get = service.llm.get.bind(service.llm);
  Object.assign(service.llm, {
    get: (name: string) => (name === 'scripted' ? undefined : get(name)),
    resolve: (model: string) => ({ provider: 'other', model }),
  });
  await service.engine.start();
  expect(await service.settled(id)).toMatchObject({
    status: 'failed',
    error: {
      code: 'llm_invalid',
      message: expect.stringContaining(
        'The provider scripted of this run is not configured.',
      ) as string,
    },
  });
  await expect(service.engine.forkRun(id, { prompt: 'on' })).rejects.toMatchObject({
    code: 'invalid_model',
    problems: [{ path: '/model' }],
  });
  const fork = await service.engine.forkRun(id, { prompt: 'on', model: 'm' });
  expect(await service.settled(fork.id)).toMatchObject({ status: 'completed', provider: 'other' });
});

test('the notice of a run says that its answers are scripted, or which limits of its model are assumed', async () => {
  const { llm } = await openService({ script: () => ({ text: 'done' }) });
  llm.cards = [
    cardWith({ id: 'unknown' }),
    cardWith({ id: 'known', source: { kind: 'configuration' } }),
  ];
  const run = { kind: 'agent', provider: 'p', scripted: false } as const;
  expect(modelNotice(llm, { ...run, model: 'any', scripted: true })).toBe(
    'answers come from a test',
  );
  expect(modelNotice(llm, { ...run, model: 'unknown' })).toBe(
    'The model unknown is unknown: a context of 32768 tokens and at most 8192 output tokens are assumed, and it has no price. Set them in llm.models of signalbox.json.',
  );
  expect(modelNotice(llm, { ...run, model: 'known' })).toBeUndefined();
  expect(modelNotice(llm, { ...run, kind: 'call', model: 'unknown' })).toBeUndefined();
});
