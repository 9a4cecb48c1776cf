import type { EventView } from '../support/client.ts';

/** State of a run that follows from its events. */
export interface Folded {
  readonly status: string | undefined;
  readonly answer: unknown;
  /** State and attempt of each tool call, as `completed 1`, by its id. */
  readonly calls: { readonly [callId: string]: string };
  /** Ids of inbox items that are open. */
  readonly openItems: readonly string[];
  /** Ids of complete messages of the model, by turn. */
  readonly messages: readonly (readonly [turn: number, messageId: string])[];
}

const STATES: { readonly [type: string]: string } = {
  'tool_call.dispatched': 'dispatched',
  'tool_call.retrying': 'planned',
  'tool_call.completed': 'succeeded',
  'tool_call.failed': 'failed',
  'tool_call.cancelled': 'cancelled',
  'tool_call.outcome_unknown': 'unknown',
};

const STATUSES: { readonly [type: string]: string } = {
  'run.queued': 'queued',
  'run.started': 'running',
  'run.resumed': 'running',
};

/** Returns the state of a run that follows from all of its events. */
export function fold(events: readonly EventView[]): Folded {
  let status: string | undefined;
  let answer: unknown;
  const calls: { [callId: string]: string } = {};
  const openItems = new Set<string>();
  const messages: [number, string][] = [];
  for (const { type, data } of events) {
    if (type.startsWith('run.')) status = STATUSES[type] ?? type.slice('run.'.length);
    if ('answer' in data) answer = data['answer'];
    const state = type === 'tool_call.planned' ? String(data['state']) : STATES[type];
    if (state !== undefined)
      calls[String(data['call_id'])] = `${state} ${Number(data['attempt'] ?? 0)}`;
    const item = String(data['inbox_item_id']);
    if (type === 'inbox.opened') openItems.add(item);
    else if (type.startsWith('inbox.')) openItems.delete(item);
    if (type === 'message.completed' && data['is_partial'] === false)
      messages.push([Number(data['turn']), String(data['message_id'])]);
  }
  return { status, answer, calls, openItems: [...openItems], messages };
}
