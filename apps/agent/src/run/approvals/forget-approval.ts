import { EngineError } from '../../ports/run-engine.ts';
import type { Uses } from '../core/engine-parts.ts';

/** Deletes a remembered approval. Calls that were already sent are not affected. */
export async function forgetApproval(
  { store, commit }: Uses<'store' | 'commit'>,
  id: string,
): Promise<void> {
  const approval = (await store.read.rememberedApprovals()).find(
    (remembered) => remembered.id === id,
  );
  if (approval === undefined) throw notFound(id);
  const { runId, itemId, server, tool } = approval;
  await commit(runId, async ({ sql }) => {
    if (!(await sql.forgetApproval(id))) throw notFound(id);
    await sql.appendAudit([
      {
        who: 'person',
        runId,
        callId: undefined,
        itemId,
        kind: 'tool_call',
        server,
        tool,
        argumentsSha256: undefined,
        decision: 'forgotten',
        outcome: undefined,
      },
    ]);
  });
}

function notFound(id: string): EngineError {
  return new EngineError('approval_not_found', `There is no remembered approval ${id}.`);
}
