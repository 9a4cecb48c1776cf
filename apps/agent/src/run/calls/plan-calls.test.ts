import { expect, test } from 'vitest';
import { callsThenAnswer } from '../testing/fake-llm.ts';
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
