import { SqliteQueryCompiler } from 'kysely';
import { expect, test, vi } from 'vitest';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService } from '../testing/service.ts';
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
