import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFakeServer } from '../../llm/testing/fake-wire.ts';
import { connectOnly, WIRES } from '../../llm/testing/provider-kinds.ts';
import { createOutputChecker } from '../../schema/output-checker.ts';
import { sharedChecks } from '../../schema/testing/shared-checks.ts';
import { isSettled } from '../../ports/store/run.ts';
import { createInProcessSignalBus } from '../../queue/in-process-signal-bus.ts';
import { createMemoryJobQueue } from '../../queue/memory-job-queue.ts';
import { openStore } from '../../store/open-store.ts';
import { systemClock } from '../../system/system-clock.ts';
import { createRunEngine } from '../run-engine.ts';
import { FakeRegistry, ok, READ_ONLY, type FakeTool } from '../testing/fake-registry.ts';

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

describe.each(WIRES)('$provider $wire.path', (kind) => {
  test('tools that are added in a run, or between runs of a thread, never change the beginning that thinking is bound to', async () => {
    await using server = await startFakeServer(kind.wire);
    const tools: { [wireName: string]: FakeTool } = {};
    tools['a__grow'] = {
      annotations: READ_ONLY,
      call: () => {
        tools[`a__tool_${Object.keys(tools).length}`] = {
          annotations: READ_ONLY,
          call: () => Promise.resolve(ok('used')),
        };
        return Promise.resolve(ok('grown'));
      },
    };
    const bus = createInProcessSignalBus();
    const store = await openStore({
      dataDir: mkdtempSync(join(tmpdir(), 'epochs-')),
      durability: 'process',
      clock: systemClock,
    });
    const registry = new FakeRegistry(tools, () => undefined, systemClock);
    registry.status = { a: { toolsChange: true } };
    const engine = createRunEngine({
      store,
      bus,
      catalogue: registry.catalogue,
      dispatcher: registry,
      queue: createMemoryJobQueue({ clock: systemClock, onError: () => undefined }),
      llm: connectOnly(kind, server),
      outputs: createOutputChecker(sharedChecks),
      clock: systemClock,
      logger: quiet,
      policies: {},
    });
    onTestFinished(async () => {
      await engine.close({ graceMs: 0 });
      await store.close();
    });
    await engine.start();
    await store.write({}, (sql) =>
      sql.insertThread({ id: 't1', title: undefined, metadata: {}, createdAt: 1, updatedAt: 1 }),
    );

    const call = (id: string, name: string, json: string) => ({
      turn: { reasoning: `thinking of ${id}`, text: `calling ${id}`, calls: [{ id, name, json }] },
    });
    for (const number of [1, 2, 3]) {
      server.replies.push(
        call(`grow_${number}`, 'a__grow', '{}'),
        call(`find_${number}`, 'find_tools', '{"query":"tool"}'),
        call(`use_${number}`, 'call_tool', '{"name":"a__tool_1"}'),
        { turn: { reasoning: 'done thinking', text: 'done' } },
      );
      const { id } = await engine.createRun({ prompt: `prompt ${number}`, threadId: 't1' });
      await expect.poll(async () => isSettled((await store.read.run(id))!)).toBe(true);
      expect(await store.read.run(id)).toMatchObject({
        status: 'completed',
        answer: 'done',
        turns: 4,
      });
      expect(
        (await store.read.toolCalls(id)).map(({ wireName, state }) => `${wireName} ${state}`),
      ).toEqual(['a__grow succeeded', 'find_tools succeeded', 'a__tool_1 succeeded']);
    }
    // One request a turn: none was refused and sent again without its thinking.
    expect(server.seen).toHaveLength(12);
    const beginnings = server.seen.map(({ body }) =>
      JSON.stringify([body['tools'], body['system'] ?? body['instructions']]),
    );
    expect([0, 4, 8].map((first) => new Set(beginnings.slice(first, first + 4)).size)).toEqual([
      1, 1, 1,
    ]);
    expect(new Set(beginnings).size).toBe(3);
  });
});
