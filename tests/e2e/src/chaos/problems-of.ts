import type { EventView } from '../support/client.ts';
import { fold } from './fold.ts';
import { digestOf, type Received } from './reader.ts';

/** A run after its end, as the API, the database and the server have it. */
export interface RunResult {
  readonly name: string;
  readonly status: string;
  readonly answer: unknown;
  /** Error of a run that failed. */
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  readonly lastSeq: number;
  readonly openItems: readonly string[];
  readonly events: readonly EventView[];
  readonly calls: readonly CallResult[];
  /** Messages of the model in the database, in order. */
  readonly messages: readonly (readonly [turn: number, messageId: string])[];
  readonly readers: readonly Received[];
}

export interface CallResult {
  readonly id: string;
  readonly state: string;
  readonly attempt: number;
  /** Turn of the run that the arguments name. */
  readonly turn: number;
  readonly tool: string;
  readonly isRepeatable: boolean;
  /** Lines of the call in the file of effects. */
  readonly effects: number;
  /** Responses of the test to the question whether the call took effect. */
  readonly responses: readonly string[];
}

/** Answers about calls of which nothing was sent, because their server was being started again. */
const NOT_SENT = /^(?:There is no tool named |The call could not be sent: server )/;
/** Answers about calls that could not be sent again for that reason. */
const NOT_SENT_AGAIN =
  /^The call was sent, .* may have taken effect\. It could not be sent again: server /s;

/**
 * Returns the call that the service refused because its server was being started again, if there is
 * one. The model gets the reason, and the scenario answers with it. The call has an effect only if the
 * reason says that it may have.
 */
export function refusedCall({ calls, answer }: RunResult): CallResult | undefined {
  const last = calls.at(-1);
  const text = String(answer);
  const isTrue = NOT_SENT_AGAIN.test(text) || (last?.effects === 0 && NOT_SENT.test(text));
  return last?.state === 'failed' && isTrue ? last : undefined;
}

/**
 * Returns the differences between a run and what is promised, one sentence each. Only a run whose
 * servers are killed may end with a call that was refused.
 */
export function problemsOf(
  run: RunResult,
  allTurns: number,
  { areServersKilled = false }: { readonly areServersKilled?: boolean } = {},
): readonly string[] {
  const refused = areServersKilled ? refusedCall(run) : undefined;
  const turns = refused === undefined ? allTurns : run.calls.length + 1;
  const wanted = {
    status: 'completed',
    answer: refused === undefined ? `done ${run.name}` : run.answer,
    calls: Object.fromEntries(
      run.calls.map(({ id, state, attempt }) => [id, `${state} ${attempt}`]),
    ),
    openItems: run.openItems,
    messages: run.messages,
  };
  const state = { status: run.status, answer: run.answer };
  const folded = fold(run.events);
  const seqs = run.events.map(({ seq }) => seq);
  return [
    ...(run.status === wanted.status
      ? []
      : [
          `the run is ${run.status}, not completed${run.error == null ? '' : `: ${run.error.code}: ${run.error.message}`}; its last events: ${lastTypes(run)}`,
        ]),
    ...(run.answer === wanted.answer ? [] : [`the answer is ${JSON.stringify(run.answer)}`]),
    ...(isCounted(seqs) && seqs.length === run.lastSeq
      ? []
      : ['events of the pages are missing or duplicated']),
    ...(isEqual(folded, { ...wanted, ...state })
      ? []
      : [
          `the fold of the events is ${JSON.stringify(folded)}, the state ${JSON.stringify({ ...wanted, ...state })}`,
        ]),
    ...messageProblems(run, turns),
    ...(run.calls.length === turns - 1
      ? []
      : [`there are ${run.calls.length} calls, not ${turns - 1}`]),
    ...run.calls.filter((call) => call !== refused).flatMap(callProblems),
    ...unaskedOutcomes(run.events).map((callId) => `nobody was asked about the call ${callId}`),
    ...run.readers.flatMap((reader) => readerProblems(reader, run)),
  ].map((problem) => `run ${run.name}: ${problem}`);
}

/** Returns the calls whose outcome became unknown without an inbox item about it, one for each time. */
export function unaskedOutcomes(events: readonly EventView[]): readonly string[] {
  const isAbout = ({ type, data }: EventView, callId: unknown): boolean =>
    type === 'inbox.opened' && data['kind'] === 'outcome_unknown' && data['call_id'] === callId;
  return events.flatMap(({ type, seq, data: { call_id: callId } }) => {
    if (type !== 'tool_call.outcome_unknown') return [];
    const later = events.filter((event) => event.seq > seq && event.data['call_id'] === callId);
    const next = later.findIndex((event) => event.type === 'tool_call.outcome_unknown');
    const until = next === -1 ? later : later.slice(0, next);
    return until.some((event) => isAbout(event, callId)) ? [] : [String(callId)];
  });
}

/** Returns the types of the last events of a run, with their times. */
function lastTypes({ events }: RunResult): string {
  return events
    .slice(-12)
    .map(({ type, at }) => `${type} ${at}`)
    .join(', ');
}

function messageProblems({ messages }: RunResult, turns: number): readonly string[] {
  return isCounted(messages.map(([turn]) => turn)) && messages.length === turns
    ? []
    : [`the messages of the model are of the turns ${messages.map(([turn]) => turn).join(' ')}`];
}

function callProblems(call: CallResult): readonly string[] {
  const { tool, turn, state, effects, isRepeatable, responses } = call;
  return [
    ...(state === 'succeeded' ? [] : [`the call of turn ${turn} is ${state}`]),
    ...(effects === 1 || (effects > 1 && isRepeatable)
      ? []
      : [
          `${tool} of turn ${turn} has ${effects} effects (responses of the person: ${responses.join(' ') || 'none'})`,
        ]),
  ];
}

function readerProblems(
  { name, seqs, digest }: Received,
  { events, lastSeq }: RunResult,
): readonly string[] {
  if (!isCounted(seqs) || seqs.length !== lastSeq) {
    const at = seqs.findIndex((seq, index) => seq !== index + 1);
    return [
      `the ${name} reader received ${at === -1 ? `${seqs.length} of ${lastSeq} events` : `event ${seqs[at]} after ${seqs[at - 1] ?? 'none'}`}`,
    ];
  }
  return digest === digestOf(events)
    ? []
    : [`the ${name} reader received other events than the pages have`];
}

/** Whether the numbers are 1, 2, 3… */
function isCounted(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => number === index + 1);
}

function isEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
}

/** Returns a value with the keys of its objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
