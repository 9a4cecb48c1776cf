import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { IN_SQLITE } from '../../store/testing/open-test-store.ts';
import type { ToolCallOutcome } from '../../ports/tool-dispatcher.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const SCRIPT = callsThenAnswer([[{ name: 'w__write' }]]);

function damage({ dataDir }: Service, runId: string, statement: string): void {
  const database = new Sqlite(join(dataDir, 'signalbox.sqlite'));
  database.prepare(statement).run(runId);
  database.close();
}

async function expectFailed(service: Service, runId: string, column: string): Promise<void> {
  expect(await service.settled(runId)).toMatchObject({
    status: 'failed',
    statusReason: 'damaged_row',
  });
  expect((await service.event(runId, 'run.failed')).data).toMatchObject({
    error: {
      message: `The run cannot continue: the stored ${column} is damaged and cannot be read`,
    },
  });
  const failures = service.errors.length;
  for (let second = 0; second < 60; second += 5) service.clock.advance(5000);
  await service.engine.createRun({ prompt: 'another' }).then(({ id }) => service.settled(id));
  expect(service.errors).toHaveLength(failures);
}

describe.runIf(IN_SQLITE)('a call with a damaged row', () => {
  test.each([
    ['arguments', "update tool_calls set arguments = '{broken' where run_id = ?"],
    ['limits', "update runs set limits = '{broken' where id = ?"],
  ])(
    'that was sent: when its answer arrives, its run fails because of the stored %s, its outcome is unknown, and nothing is repeated',
    async (column, statement) => {
      const started = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<ToolCallOutcome>();
      const write: FakeTool = {
        annotations: READ_ONLY,
        call: () => (started.resolve(), answer.promise),
      };
      const service = await openService({ script: SCRIPT, tools: { w__write: write } });
      const { id } = await service.engine.createRun({ prompt: 'go' });
      await started.promise;
      damage(service, id, statement);
      answer.resolve(ok('done'));
      await expectFailed(service, id, column);
      expect((await service.event(id, 'tool_call.outcome_unknown')).data).toMatchObject({
        message: `The outcome of the call could not be stored: the stored ${column} is damaged and cannot be read.`,
      });
      await service.kill();
    },
  );

  test.each([
    ['arguments', "update tool_calls set arguments = '{broken' where run_id = ?"],
    ['limits', "update runs set limits = '{broken' where id = ?"],
  ])(
    'that waits for its server: its run fails because of the stored %s, it is not sent, and nothing is repeated',
    async (column, statement) => {
      const write: FakeTool = { annotations: READ_ONLY, call: () => Promise.resolve(ok('done')) };
      const service = await openService({ script: SCRIPT, tools: { w__write: write } });
      const waiting = Promise.withResolvers<void>();
      const room = Promise.withResolvers<void>();
      service.registry.admission = () => (waiting.resolve(), room.promise);
      const { id } = await service.engine.createRun({ prompt: 'go' });
      await waiting.promise;
      damage(service, id, statement);
      room.resolve();
      await expectFailed(service, id, column);
      expect((await service.event(id, 'tool_call.failed')).data).toMatchObject({
        message: `The call was not sent: the stored ${column} is damaged and cannot be read.`,
      });
      expect(service.registry.sent.map(({ runId }) => runId)).not.toContain(id);
      await service.kill();
    },
  );

  test('that has a job: its run fails before the call begins, and the job is not repeated', async () => {
    const write: FakeTool = { annotations: READ_ONLY, call: () => Promise.resolve(ok('done')) };
    const jobs: (() => Promise<void>)[] = [];
    const service = await openService({
      script: SCRIPT,
      tools: { w__write: write },
      changeQueue: (queue) => {
        const enqueue = queue.enqueue.bind(queue);
        queue.enqueue = async (job, options) => {
          if (job.type !== 'call-tool' || jobs.length > 0) return enqueue(job, options);
          jobs.push(() => enqueue(job, options));
        };
        return queue;
      },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.event(id, 'tool_call.planned');
    await expect.poll(() => jobs.length).toBe(1);
    damage(service, id, "update tool_calls set arguments = '{broken' where run_id = ?");
    await jobs[0]?.();
    await expectFailed(service, id, 'arguments');
    await service.event(id, 'tool_call.failed');
    expect(service.registry.sent.map(({ runId }) => runId)).not.toContain(id);
    await service.kill();
  });
});
