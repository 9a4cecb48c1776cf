/** Turns of the run; each has eight events. */
const TURNS = 1250;
const EVENTS = TURNS * 8;

/** The run of `manyEvents`. */
export const MANY_EVENTS_RUN = {
  id: 'many',
  kind: 'agent',
  status: 'completed',
  priority: 'normal',
  prompt: 'Search everything',
  scripted: false,
  limits: {},
  metadata: {},
  inbox: [],
  last_seq: EVENTS,
  turns: TURNS,
  tool_calls: TURNS,
  created_at: '2026-01-01T00:00:00Z',
  finished_at: '2026-01-01T00:17:00Z',
};

/** Returns the event stream of a completed run of ten thousand events. */
export function manyEvents(): string {
  const events: string[] = [];
  const add = (type: string, data: object): void => {
    const seq = events.length + 1;
    const at = new Date(Date.UTC(2026, 0, 1) + seq * 100).toISOString();
    const event = { run_id: 'many', seq, type, version: 1, at, data };
    events.push(`id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const result = { text: 'found 3 of 40', truncated: false, is_error: false, other_content: [] };
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const message = { turn, message_id: `m${turn}` };
    const call = { call_id: `c${turn}`, attempt: 1 };
    const usage = {
      input: 900,
      output: 40,
      cache_read: 0,
      cache_write: 0,
      reasoning: 0,
      source: 'reported',
    };
    add('turn.started', { ...message, model: 'model-a', attempt: 1 });
    add('message.started', { ...message, role: 'assistant' });
    add('message.completed', {
      ...message,
      text: `Step ${turn} of the search.\n`.repeat(turn % 4),
      tool_uses: [],
      is_partial: false,
    });
    add('usage.updated', { source: 'agent', model: 'model-a', usage, total: usage });
    add('turn.completed', { ...message, stop_reason: 'tool_use' });
    add('tool_call.planned', {
      ...call,
      ...message,
      name: 's__search',
      server: 's',
      tool: 'search',
      arguments: { query: `part ${turn}` },
      state: 'planned',
    });
    add('tool_call.dispatched', call);
    if (turn < TURNS) add('tool_call.completed', { ...call, result });
    else add('run.completed', { answer: 'The end of the search.', scripted: false });
  }
  const snapshot = { type: 'run.snapshot', run_id: MANY_EVENTS_RUN.id, run: MANY_EVENTS_RUN };
  return `data: ${JSON.stringify(snapshot)}\n\n${events.join('')}`;
}
