import type { EventView, Json, RunView } from '../support/client.ts';
import type { Evidence } from './evidence.ts';
import { LAST_EVENTS, readRun, type Received } from './reader.ts';
import type { RetryingClient } from './retrying-client.ts';
import type { Seeded } from './seeded.ts';

/** A run that has ended, with everything that its readers received. */
export interface Followed {
  readonly name: string;
  readonly id: string;
  readonly readers: readonly Received[];
  /** Responses of the test about unknown outcomes, by the turn of the call. */
  readonly responses: ReadonlyMap<number, readonly string[]>;
}

export interface FollowOptions {
  readonly client: RetryingClient;
  readonly evidence: Evidence;
  readonly url: string;
  /** Model calls of the run. */
  readonly turns: number;
  readonly random: Seeded;
  readonly signal: AbortSignal;
}

/**
 * Starts a run and follows it with three readers until they have its last event: one stays connected,
 * one leaves and resumes, one comes late. Answers each question about an unknown outcome by the effects.
 */
export async function followRun(
  name: string,
  { client, evidence, url, turns, random, signal }: FollowOptions,
): Promise<Followed> {
  const { id } = await client.post<RunView>('/v1/runs', `run ${name}`, { prompt: `work ${name}` });
  const base = { runId: id, url: () => url, signal };
  const lateAt = random.between(1, 8 * turns);
  const late = Promise.withResolvers<void>();
  const turnOf = new Map<string, number>();
  const responses = new Map<number, string[]>();
  const answers: Promise<unknown>[] = [];
  /** Decides about a call whose outcome is unknown: looks whether it took effect. */
  const answer = ({ data }: EventView): Promise<unknown> => {
    const turn = turnOf.get(String(data['call_id'])) ?? 0;
    const action = evidence.effects.of(`${name} ${turn}`) === 0 ? 'retry' : 'mark_done';
    responses.set(turn, [...(responses.get(turn) ?? []), action]);
    const item = String(data['inbox_item_id']);
    return client.post(`/v1/inbox/${item}/respond`, `answer ${item}`, { action });
  };
  const steady = readRun({
    ...base,
    name: 'steady',
    onEvent: (event) => {
      evidence.received(id, event.seq);
      if (event.seq >= lateAt || LAST_EVENTS.has(event.type)) late.resolve();
      const { call_id: callId, arguments: args } = event.data;
      if (event.type === 'tool_call.planned')
        turnOf.set(String(callId), Number((args as Json)['turn']));
      if (event.type !== 'inbox.opened') return;
      const answered = answer(event);
      // A failure is reported when all readers have ended.
      answered.catch(() => undefined);
      answers.push(answered);
    },
  }).finally(() => late.resolve());
  const readers = await Promise.all([
    steady,
    readRun({ ...base, name: 'restless', eventsPerConnection: () => random.between(1, 25) }),
    late.promise.then(() => readRun({ ...base, name: 'late' })),
  ]);
  await Promise.all(answers);
  return { name, id, readers, responses };
}
