import { ApiClient, type EventView } from '../support/client.ts';
import type { Environment } from './environment.ts';
import type { Evidence } from './evidence.ts';
import type { Followed } from './follow-run.ts';
import type { RunResult } from './problems-of.ts';
import type { RetryingClient } from './retrying-client.ts';

const PAGE = 1000;

interface CallView {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly attempt: number;
  readonly arguments: { readonly turn: number };
}

/** Reads the runs as the API, the database and the test servers have them. */
export async function resultsOf(
  followed: readonly Followed[],
  {
    client,
    environment,
    evidence,
  }: {
    readonly client: RetryingClient;
    readonly environment: Environment;
    readonly evidence: Evidence;
  },
): Promise<readonly RunResult[]> {
  const api = new ApiClient(client.url);
  const messages = await environment.records.messages();
  const results: RunResult[] = [];
  for (const { name, id, readers, responses } of followed) {
    const run = await api.run(id);
    const { data: calls } = await api.get<{ data: readonly CallView[] }>(
      `/v1/runs/${id}/tool-calls?limit=200`,
    );
    results.push({
      name,
      status: run.status,
      answer: run.answer,
      error: run.error,
      lastSeq: run.last_seq,
      openItems: run.inbox.map((item) => item.id),
      events: await eventsOf(api, id),
      calls: calls.map((call) => ({
        id: call.id,
        state: call.state,
        attempt: call.attempt,
        turn: call.arguments.turn,
        tool: call.name,
        isRepeatable: !call.name.endsWith('append'),
        effects: evidence.effects.of(`${name} ${call.arguments.turn}`),
        responses: responses.get(call.arguments.turn) ?? [],
      })),
      messages: messages.get(id) ?? [],
      readers,
    });
  }
  return results;
}

async function eventsOf(api: ApiClient, id: string): Promise<readonly EventView[]> {
  const events: EventView[] = [];
  for (;;) {
    const { data } = await api.get<{ data: readonly EventView[] }>(
      `/v1/runs/${id}/events?limit=${PAGE}&after=${events.length}`,
    );
    events.push(...data);
    if (data.length < PAGE) return events;
  }
}
