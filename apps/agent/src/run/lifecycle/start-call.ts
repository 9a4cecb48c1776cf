import { exceededLimit, MAX_JSON_DEPTH } from '../../json/json-limits.ts';
import { ANONYMOUS } from '../../ports/api-key.ts';
import { EngineError, type CallRun, type NewCall, type OnCommit } from '../../ports/run-engine.ts';
import type { CatalogueTool } from '../../ports/tool-catalogue.ts';
import { admit } from './admission.ts';
import { queuedEvent } from './create-run.ts';
import type { Uses } from '../core/engine-parts.ts';
import { nextDeadline } from '../limits/limits.ts';
import { newRun } from './new-run.ts';
import { planCalls } from '../calls/plan-calls.ts';
import { runOnCommit } from '../core/on-commit.ts';
import { serverConnected } from '../calls/servers-ready.ts';
import { shutdownError } from '../core/commits.ts';

type Parts = Uses<
  | 'workerId'
  | 'enqueue'
  | 'catalogue'
  | 'llm'
  | 'clock'
  | 'newId'
  | 'policyOf'
  | 'maxQueuedRuns'
  | 'keyLimits'
  | 'commit'
  | 'closing'
  | 'sweep'
>;

/**
 * Stores a run of a single tool call and enqueues the call. Approvals, limits and the ledger apply
 * as for any other call.
 */
export async function startCall(
  context: Parts,
  { wireName, arguments: input, limits = {}, metadata = {}, apiKey = ANONYMOUS }: NewCall,
  onCommit?: OnCommit<CallRun>,
): Promise<CallRun> {
  if (context.closing.aborted) throw shutdownError();
  const tool = await findTool(context, wireName);
  const wrong = tooDeep(input) ?? (await context.catalogue.checkArguments(wireName, input));
  if (wrong !== undefined)
    throw new EngineError('invalid_arguments', wrong, [{ path: '/arguments', message: wrong }]);
  const startedAt = context.clock.now();
  const created = newRun(context, {
    kind: 'call',
    prompt: `Call ${wireName}`,
    servers: [tool.server],
    limits,
    metadata,
    apiKey,
  });
  const deadlineAt = nextDeadline({ ...created, startedAt }, startedAt);
  const run = { ...created, status: 'running' as const, startedAt, deadlineAt, toolCalls: 1 };
  const started = await context.commit(
    run.id,
    async (change) => {
      const { sql } = change;
      await admit(context, change, run);
      const result: { value?: CallRun } = {};
      await sql.insertRun(run);
      change.emit(queuedEvent(run), {
        type: 'run.started',
        data: { provider: undefined, model: undefined, scripted: run.scripted, notice: undefined },
      });
      await planCalls(context, change, {
        run,
        turn: 0,
        toolUses: [{ type: 'tool_use', id: context.newId(), name: wireName, input }],
        offer: { tools: [tool], reasons: new Map() },
        isRecorded: true,
      });
      change.afterCommit(() => context.sweep.wakeAt(deadlineAt));
      const stored = async (): Promise<CallRun> => {
        const [call] = await sql.toolCalls(run.id);
        if (call === undefined) throw new Error(`the call of the run ${run.id} was not planned`);
        return { run: (await sql.run(run.id)) ?? run, call };
      };
      runOnCommit(change, onCommit, stored);
      // Includes the events of this transaction.
      change.beforeCommit(async () => {
        result.value = await stored();
      });
      return result;
    },
    'create-run',
  );
  if (started.value === undefined) throw new Error(`the run ${run.id} was not stored`);
  return started.value;
}

function tooDeep(args: NewCall['arguments']): string | undefined {
  const isDeep = exceededLimit(args, { maxDepth: MAX_JSON_DEPTH }) !== undefined;
  return isDeep ? `the arguments are nested more than ${MAX_JSON_DEPTH} levels deep` : undefined;
}

/** Finds a tool, and waits for its server while that connects. */
async function findTool(
  context: Uses<'catalogue' | 'clock' | 'closing'>,
  wireName: string,
): Promise<CatalogueTool> {
  const { catalogue, clock, closing } = context;
  const known = await catalogue.find(wireName);
  if (known !== undefined) return known;
  await serverConnected(catalogue, wireName.split('__')[0] ?? '', { clock, signal: closing });
  const tool = await catalogue.find(wireName);
  if (tool !== undefined) return tool;
  const reason = await catalogue.whyNotOffered(wireName);
  if (reason !== undefined && (await catalogue.isQuarantined(wireName)))
    throw new EngineError('tool_quarantined', `${wireName} is not called: ${reason}`);
  throw new EngineError(
    'tool_not_found',
    `No tool is called ${JSON.stringify(wireName)}${reason === undefined ? '' : ` at present (${reason})`}; GET /v1/tools lists the tools of the ready servers.`,
  );
}
