import { SqliteQueryCompiler } from 'kysely';
import { expect, test, vi } from 'vitest';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService } from '../testing/service.ts';
import { Connection } from '../../store/connection.ts';
import { IN_SQLITE } from '../../store/testing/open-test-store.ts';

test.runIf(IN_SQLITE)(
  'a turn with a tool call takes four transactions, and builds no query that an earlier run built',
  async () => {
    const turns = 3;
    const work = Array.from({ length: turns }, () => [{ name: 'a__b' }]);
    const service = await openService({
      script: callsThenAnswer(work),
      tools: { a__b: { annotations: READ_ONLY, call: () => Promise.resolve(ok('done')) } },
    });
    const run = async () => service.settled((await service.engine.createRun({ prompt: 'go' })).id);
    await run();
    const written = vi.spyOn(service.store, 'write');
    const built = vi.spyOn(SqliteQueryCompiler.prototype, 'compileQuery');
    expect(await run()).toMatchObject({ status: 'completed', turns: turns + 1 });
    // Beside the turns with a call: the creation and the start of the run, and the two of its answer.
    expect(written).toHaveBeenCalledTimes(2 + 4 * turns + 2);
    expect(built).not.toHaveBeenCalled();
    // Control: a list is built each time.
    await service.read.runs({ limit: 1 });
    expect(built).toHaveBeenCalledTimes(1);
  },
);

test.runIf(IN_SQLITE)(
  'the search text of a run is written when the run is created and when it ends, and by no turn',
  async () => {
    const written = vi.spyOn(Connection.prototype, 'run');
    const statements: string[][] = [];
    for (const turns of [1, 4]) {
      const service = await openService({
        script: callsThenAnswer(Array.from({ length: turns }, () => [{ name: 'a__b' }])),
        tools: { a__b: { annotations: READ_ONLY, call: () => Promise.resolve(ok('done')) } },
      });
      written.mockClear();
      await service.settled((await service.engine.createRun({ prompt: 'go' })).id);
      statements.push(written.mock.calls.map(([query]) => query.name));
    }
    for (const names of statements) {
      expect(names.filter((name) => /text|outcome/i.test(name))).toEqual([
        'insertText',
        'updateOutcome',
      ]);
      // Control: the other statements are counted by the names of their queries, too.
      expect(names).toContain('insertTurn');
    }
  },
);
