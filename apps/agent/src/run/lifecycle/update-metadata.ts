import { EngineError } from '../../ports/run-engine.ts';
import type { Metadata } from '../../ports/store/metadata.ts';
import type { RunCore } from '../../ports/store/run.ts';
import type { Uses } from '../core/engine-parts.ts';

/** Changes the metadata of a run. `change` gets the run inside the transaction. */
export async function updateMetadata(
  { store }: Uses<'store'>,
  id: string,
  change: (run: RunCore) => Metadata,
): Promise<void> {
  await store.write({ run: id }, async (sql) => {
    const run = await sql.runCore(id);
    if (run === undefined) throw new EngineError('run_not_found', `There is no run ${id}.`);
    await sql.updateRun(id, { metadata: change(run) });
  });
}
