import { expect, test } from 'vitest';
import { cardWith } from '../../ports/testing/model-card.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService } from '../testing/service.ts';

test('a call of a tool whose server becomes ready while the call is planned fails with the reason', async () => {
  const service = await openService({ script: callsThenAnswer([[{ name: 'a__look' }]]) });
  let reason: string | undefined;
  service.registry.tools = () => {
    reason = 'server a is failed: it ended';
    queueMicrotask(() => (reason = undefined));
    return [];
  };
  service.registry.whyNotOffered = () => reason;
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.settled(id);
  expect((await service.call(id)).error).toContain(
    'There is no tool named a__look at present: server a is failed: it ended.',
  );
});

test('a call of a model that ignores the tool_choice none is not made', async () => {
  let calls = 0;
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__look' }, { name: 'find_tools' }]], 'done'),
    tools: {
      a__look: {
        annotations: READ_ONLY,
        call: () => {
          calls += 1;
          return Promise.resolve(ok('seen'));
        },
      },
    },
  });
  service.llm.cards = [cardWith({ id: 'm' })];
  const { id } = await service.engine.createRun({
    prompt: 'go',
    model: 'm',
    modelSettings: { toolChoice: 'none' },
  });
  const { status, answer } = await service.settled(id);
  const refused = {
    state: 'failed',
    error:
      'This call was not made: the tool_choice of this run is none. Answer without calling a tool.',
  };
  expect([status, answer, calls]).toEqual(['completed', 'done', 0]);
  expect(await service.read.toolCalls(id)).toMatchObject([refused, refused]);
});
