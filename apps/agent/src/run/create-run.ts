import { EngineError, type NewRun } from '../ports/run-engine.ts';
import type { Run } from '../ports/run-store.ts';
import { enqueue, type EngineContext } from './engine-context.ts';
import { DEFAULT_LIMITS } from './limits.ts';

/** Stores a new run and calls for its first step. */
export async function createRun(context: EngineContext, input: NewRun): Promise<Run> {
  if (context.closing.aborted) throw new EngineError('shutting_down', 'The service is shutting down. Try again when it is back.');
  refuseUnknownServers(context, input.servers ?? []);
  const run = newRun(context, input);
  await context.commit(run.id, async (change) => {
    await change.sql.insertRun(run);
    await change.sql.insertMessage(run.id, { id: context.newId(), turn: 0, role: 'user', content: [{ type: 'text', text: run.prompt }] });
    const { prompt, servers, provider, model, scripted, limits } = run;
    change.emit({ type: 'run.queued', data: { prompt, servers, provider, model, scripted, limits: limitsData(limits) } });
    change.afterCommit(() => enqueue(context, { type: 'advance-run', runId: run.id }));
  }, 'create-run');
  return { ...run, lastSeq: 1 };
}

function refuseUnknownServers({ registry }: EngineContext, wanted: readonly string[]): void {
  const known = registry.servers().map((server) => server.name);
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const configured = known.length === 0 ? 'No server is configured.' : `Configured servers: ${known.join(', ')}.`;
  throw new EngineError('unknown_server', `No server is named ${unknown.map((name) => JSON.stringify(name)).join(', ')}. ${configured}`);
}

function newRun({ newId, llm, clock }: EngineContext, { prompt, servers, model, limits }: NewRun): Run {
  return {
    id: newId(),
    kind: 'agent',
    status: 'queued',
    statusReason: undefined,
    prompt,
    servers,
    provider: llm.info.provider,
    model: model ?? llm.info.model,
    scripted: llm.info.scripted,
    limits: { ...DEFAULT_LIMITS, ...limits },
    threadId: undefined,
    threadPosition: undefined,
    agentId: undefined,
    instructions: undefined,
    metadata: {},
    forkedFrom: undefined,
    lastSeq: 0,
    turns: 0,
    toolCalls: 0,
    usage: undefined,
    answer: undefined,
    error: undefined,
    waitedMs: 0,
    waitingSince: undefined,
    createdAt: clock.now(),
    startedAt: undefined,
    finishedAt: undefined,
  };
}

function limitsData(limits: Run['limits']): { readonly [key: string]: number } {
  return {
    turns: limits.turns,
    tool_calls: limits.toolCalls,
    wall_clock_ms: limits.wallClockMs,
    call_inactivity_ms: limits.callInactivityMs,
    call_max_ms: limits.callMaxMs,
    inbox_expiry_ms: limits.inboxExpiryMs,
  };
}
