import type { ContentBlock } from '@signalbox/mcp-core';
import { EngineError, type NewRun, type OnCommit } from '../../ports/run-engine.ts';
import type { RunCore } from '../../ports/store/progress.ts';
import { SUPERSEDED, type Run } from '../../ports/store/run.ts';
import type { StoreTransaction } from '../../ports/store.ts';
import { agentFields, agentOf } from './agent-of-run.ts';
import { admit } from './admission.ts';
import { cancelRunIfPresent } from './cancel-run.ts';
import { shutdownError, type Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import type { RunEventTypes } from '../core/events.ts';
import {
  mergeSettings,
  modelSettingsData,
  refuseUnsupportedSettings,
} from '../core/model-settings.ts';
import { cardOf } from '../core/run-model.ts';
import { mergeRules, toolRulesData } from '../core/tool-rules.ts';
import { newRun } from './new-run.ts';
import { runOnCommit } from '../core/on-commit.ts';
import { enqueueStart } from './thread-order.ts';
import { ARTIFACT_READ } from '../results/artifacts.ts';
import { shownImage } from '../results/binary-artifacts.ts';
import { runLimitsData } from '../limits/limits-data.ts';

type Parts = Uses<
  | 'store'
  | 'enqueue'
  | 'bus'
  | 'catalogue'
  | 'llm'
  | 'outputs'
  | 'clock'
  | 'newId'
  | 'maxQueuedRuns'
  | 'keyLimits'
  | 'commit'
  | 'closing'
>;

/** Stores a new run and enqueues its first step. In a thread it waits for the runs before it. */
export async function createRun(
  context: Parts,
  input: NewRun,
  onCommit?: OnCommit<Run>,
): Promise<Run> {
  if (context.closing.aborted) throw shutdownError();
  const run = await prepareRun(context, input);
  for (;;) {
    const stored = await context.commit(
      run.id,
      (change) =>
        storeRun(context, change, {
          run,
          onBusy: input.onBusy ?? 'reject',
          artifacts: input.artifacts ?? [],
          onCommit,
        }),
      'create-run',
      run.threadId,
    );
    if (stored.run !== undefined) return stored.run;
    for (const other of stored.inTheWay)
      await cancelRunIfPresent(context, other.id, { reason: SUPERSEDED });
  }
}

/** Checks a run that is to be created later. */
export async function checkRun(context: Preparation, input: NewRun): Promise<void> {
  await prepareRun(context, input);
  if (
    input.threadId !== undefined &&
    (await context.store.read.thread(input.threadId)) === undefined
  )
    throw unknownThread(input.threadId);
}

type Preparation = Uses<'store' | 'catalogue' | 'llm' | 'outputs' | 'clock' | 'newId'>;

/** Returns the row of a new run with the fields of its agent, after the checks that need no lock. */
async function prepareRun(context: Preparation, input: NewRun): Promise<Run> {
  const agent = await agentOf(context, input);
  const run = newRun(context, {
    ...agentFields(agent),
    ...input,
    agentVersion: agent?.version,
    limits: { ...agent?.limits, ...input.limits },
    modelSettings: mergeSettings(agent?.modelSettings, input.modelSettings),
    toolRules: mergeRules(agent?.toolRules, input.toolRules),
  });
  await refuseUnusable(context, run);
  return run;
}

/**
 * Checks the servers, the model, the output schema and the limits of a new run.
 * @throws EngineError `unknown_server`, `invalid_model`, `unsupported_setting`, `invalid_output_schema`,
 * `unknown_price`
 */
export async function refuseUnusable(
  context: Uses<'catalogue' | 'llm' | 'outputs'>,
  run: Run,
): Promise<void> {
  await refuseUnknownServers(context, run.servers ?? []);
  refuseMissingProvider(context, run);
  if (run.kind === 'agent') refuseUnsupportedSettings(context.llm, run, run.modelSettings);
  await refuseOutputSchema(context, run);
  refuseUnknownPrice(context, run);
}

interface RunToStore {
  readonly run: Run;
  readonly onBusy: NonNullable<NewRun['onBusy']>;
  readonly artifacts: readonly string[];
  readonly onCommit: OnCommit<Run> | undefined;
}

type Stored =
  | { readonly run: Run }
  | {
      readonly run?: undefined;
      /** Runs to cancel first. */ readonly inTheWay: readonly RunCore[];
    };

async function storeRun(
  context: Uses<'enqueue' | 'newId' | 'maxQueuedRuns' | 'keyLimits' | 'clock'>,
  change: Change,
  { run, onBusy, artifacts, onCommit }: RunToStore,
): Promise<Stored> {
  const { sql } = change;
  const { threadId } = run;
  const busy = threadId === undefined ? [] : await busyRuns(sql, threadId);
  const [first] = busy;
  if (first !== undefined && onBusy === 'reject') {
    throw new EngineError(
      'thread_busy',
      `The run ${first.id} of the thread ${threadId} is not settled: it is ${first.status}. Wait for it, or set on_busy to enqueue or interrupt.`,
    );
  }
  const inTheWay =
    onBusy === 'interrupt' ? busy.filter(({ status }) => status !== 'cancelling') : [];
  if (inTheWay.length > 0) return { inTheWay };
  await admit(context, change, run);
  const placed =
    threadId === undefined
      ? run
      : { ...run, threadPosition: await sql.nextThreadPosition(threadId) };
  await sql.insertRun(placed);
  if (threadId !== undefined) await sql.updateThread(threadId, { updatedAt: run.createdAt });
  await sql.insertMessage(run.id, {
    id: context.newId(),
    turn: 0,
    role: 'user',
    content: [{ type: 'text', text: run.prompt }, ...(await attach(sql, run.id, artifacts))],
  });
  change.emit(queuedEvent(placed));
  change.afterCommit(() => enqueueStart(context, run));
  const stored = { ...placed, lastSeq: 1 };
  runOnCommit(change, onCommit, () => Promise.resolve(stored));
  return { run: stored };
}

/**
 * Gives artifacts to a run. Returns the block that tells the model how to read them, and images.
 * @throws EngineError `unknown_artifact`
 */
async function attach(
  sql: StoreTransaction,
  runId: string,
  ids: readonly string[],
): Promise<readonly ContentBlock[]> {
  const lines: string[] = [];
  const images: ContentBlock[] = [];
  for (const [index, id] of ids.entries()) {
    const artifact = await sql.attachArtifact(id, runId);
    if (artifact === undefined) {
      const message = `There is no artifact ${JSON.stringify(id)}: it never existed, or it was deleted because no run was created with it for a day.`;
      throw new EngineError('unknown_artifact', message, [
        { path: `/artifacts/${index}`, message },
      ]);
    }
    const image = shownImage(artifact);
    if (image !== undefined) images.push(image);
    const shown = image === undefined ? '' : ', shown below';
    lines.push(`${artifact.id}: ${artifact.mediaType}, ${artifact.bytes} bytes${shown}`);
  }
  if (lines.length === 0) return [];
  const text = `[The user attached artifacts. Read texts with ${ARTIFACT_READ}.\n${lines.join('\n')}]`;
  return [{ type: 'text', text }, ...images];
}

/** Returns the first event of a run. */
export function queuedEvent({
  kind,
  prompt,
  servers,
  provider,
  model,
  scripted,
  limits,
  modelSettings,
  toolRules,
  threadId,
  agentId,
  agentVersion,
  forkedFrom,
}: Run): { readonly type: 'run.queued'; readonly data: RunEventTypes['run.queued'] } {
  const origin =
    forkedFrom === undefined ? undefined : { run_id: forkedFrom.runId, turn: forkedFrom.turn };
  const modelFields =
    kind === 'call' ? { provider: undefined, model: undefined } : { provider, model };
  return {
    type: 'run.queued',
    data: {
      kind,
      prompt,
      servers,
      ...modelFields,
      scripted,
      limits: runLimitsData({ kind, limits }),
      model_settings: modelSettings === undefined ? undefined : modelSettingsData(modelSettings),
      ...toolRulesData(toolRules),
      thread_id: threadId,
      agent_id: agentId,
      agent_version: agentVersion,
      forked_from: origin,
    },
  };
}

async function busyRuns(sql: StoreTransaction, threadId: string): Promise<readonly RunCore[]> {
  if ((await sql.thread(threadId)) === undefined) throw unknownThread(threadId);
  return sql.unsettledRuns({ threadId });
}

function unknownThread(id: string): EngineError {
  return new EngineError('unknown_thread', `There is no thread ${id}.`);
}

async function refuseUnknownServers(
  { catalogue }: Uses<'catalogue'>,
  wanted: readonly string[],
): Promise<void> {
  if (wanted.length === 0) return;
  const known = (await catalogue.servers()).map((server) => server.name);
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const configured =
    known.length === 0 ? 'No server is configured.' : `Configured servers: ${known.join(', ')}.`;
  throw new EngineError(
    'unknown_server',
    `No server is named ${unknown.map((name) => JSON.stringify(name)).join(', ')}. ${configured}`,
  );
}

/** Rejects a fork of a run whose provider is not configured any more. */
function refuseMissingProvider({ llm }: Uses<'llm'>, { provider, kind }: Run): void {
  if (kind === 'call' || llm.get(provider) !== undefined) return;
  const message = `The provider ${provider} is not configured. Choose another model.`;
  throw new EngineError('invalid_model', message, [{ path: '/model', message }]);
}

/** Rejects a cost limit for a model without a known price. */
function refuseUnknownPrice({ llm }: Uses<'llm'>, { limits, provider, model, kind }: Run): void {
  if (limits.costUsd === undefined || kind === 'call') return;
  if (cardOf(llm, { provider, model })?.price !== undefined) return;
  throw new EngineError(
    'unknown_price',
    `The price of the model ${model} is not known, so limits.cost_usd cannot be enforced. Leave it out, limit tokens, or set the price in llm.models of signalbox.json.`,
    [{ path: '/limits/cost_usd', message: 'the price of the model is not known' }],
  );
}

async function refuseOutputSchema(
  { outputs }: Uses<'outputs'>,
  { outputSchema }: Run,
): Promise<void> {
  const problem = outputSchema === undefined ? undefined : await outputs.unusable(outputSchema);
  if (problem !== undefined)
    throw new EngineError(
      'invalid_output_schema',
      `The output schema is not supported: ${problem}.`,
      [{ path: '/output_schema', message: problem }],
    );
}
