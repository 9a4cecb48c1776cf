import type { LlmRequest } from '../../ports/llm-provider.ts';
import { callId } from './call-id.ts';
import type { Conversation } from './conversation.ts';
import type { Scenario, Turn } from './scenario.ts';

export type Choice =
  | {
      readonly type: 'turn';
      readonly scenario: Scenario;
      readonly index: number;
      readonly turn: Turn;
      readonly groups: readonly (string | undefined)[];
      readonly labels: ReadonlyMap<string, string>;
    }
  | {
      readonly type: 'stuck';
      readonly scenario: Scenario;
      /** Position, from 1. */ readonly nearest: number;
      readonly reasons: readonly string[];
    }
  | { readonly type: 'unknown' };

interface Progress {
  readonly scenario: Scenario;
  readonly played: ReadonlySet<number>;
  /** Labels by call id. */
  readonly labels: ReadonlyMap<string, string>;
}

interface Candidate {
  readonly index: number;
  readonly turn: Turn;
  readonly reasons: readonly string[];
}

/**
 * Returns the first unplayed turn whose `when` matches, in the current scenario or the first that
 * applies.
 */
export function chooseTurn(
  scenarios: readonly Scenario[],
  conversation: Conversation,
  request: LlmRequest,
): Choice {
  const progress = scenarios.map((scenario) => progressOf(scenario, conversation));
  const playing = progress.find(({ played }) => played.size > 0);
  let stuck: Choice = { type: 'unknown' };
  for (const current of playing === undefined ? progress : [playing]) {
    if (current !== playing && !isMeant(current.scenario, conversation, request)) continue;
    const choice = chooseIn(current, conversation, request);
    if (choice.type === 'turn') return choice;
    if (stuck.type === 'unknown') stuck = choice;
  }
  return stuck;
}

function progressOf(scenario: Scenario, conversation: Conversation): Progress {
  const calls = scenario.turns.flatMap(({ emit: emits }, turn) =>
    emits.flatMap((one, emit) =>
      'tool' in one ? [{ turn, emit, label: one.label ?? one.tool }] : [],
    ),
  );
  const played = new Set<number>();
  const labels = new Map<string, string>();
  let found = { ordinal: -1, at: -1 };
  for (const { id, ordinal } of conversation.calls) {
    // The calls of one message are in the order of the script.
    const start = ordinal === found.ordinal ? found.at + 1 : 0;
    const at = calls.findIndex(
      ({ turn, emit }, index) =>
        index >= start && callId({ scenario: scenario.name, turn, emit, ordinal }) === id,
    );
    found = { ordinal, at };
    const call = calls[at];
    if (call === undefined) continue;
    played.add(call.turn);
    labels.set(id, call.label);
  }
  return { scenario, played, labels };
}

/** Whether a scenario starts: one of its `lastUser` patterns matches, or it has none. */
function isMeant(scenario: Scenario, conversation: Conversation, request: LlmRequest): boolean {
  const turns = scenario.turns.filter(({ when }) => when.purpose === request.purpose);
  const patterns = turns.flatMap(({ when }) =>
    when.lastUser === undefined ? [] : [when.lastUser],
  );
  return (
    turns.length > 0 &&
    (patterns.length === 0 || patterns.some((pattern) => matchUser(pattern, conversation) !== null))
  );
}

function chooseIn(
  { scenario, played, labels }: Progress,
  conversation: Conversation,
  request: LlmRequest,
): Choice {
  const candidates: Candidate[] = scenario.turns.flatMap((turn, index) =>
    played.has(index)
      ? []
      : [{ index, turn, reasons: whyNot(turn, { conversation, request, labels }) }],
  );
  const fitting = candidates.find(({ reasons }) => reasons.length === 0);
  if (fitting !== undefined)
    return {
      type: 'turn',
      scenario,
      index: fitting.index,
      turn: fitting.turn,
      groups: groupsOf(scenario, fitting.turn, conversation),
      labels,
    };
  const nearest = candidates.toSorted((a, b) => a.reasons.length - b.reasons.length)[0];
  return nearest === undefined
    ? {
        type: 'stuck',
        scenario,
        nearest: scenario.turns.length,
        reasons: ['every turn has been played'],
      }
    : { type: 'stuck', scenario, nearest: nearest.index + 1, reasons: nearest.reasons };
}

function whyNot(
  { when }: Turn,
  {
    conversation,
    request,
    labels,
  }: { conversation: Conversation; request: LlmRequest; labels: Progress['labels'] },
): string[] {
  const { newest } = conversation;
  const failed = newest.some((call) => call.result?.isError === true);
  const reasons: string[] = [];
  if (when.purpose !== request.purpose)
    reasons.push(`it is for the purpose "${when.purpose}", not "${request.purpose}"`);
  if (when.lastUser !== undefined && matchUser(when.lastUser, conversation) === null)
    reasons.push(`the user's text does not match /${when.lastUser}/i`);
  if (when.turn !== undefined && when.turn !== conversation.turn)
    reasons.push(`it is for turn ${when.turn}, and this is turn ${conversation.turn}`);
  if (when.hasToolResult !== undefined && when.hasToolResult !== newest.length > 0)
    reasons.push(
      when.hasToolResult ? 'there is no tool result yet' : 'there is a tool result already',
    );
  if (
    when.toolResult !== undefined &&
    !newest.some((call) => call.name === when.toolResult || labels.get(call.id) === when.toolResult)
  )
    reasons.push(`the newest results hold none of "${when.toolResult}"`);
  if (when.toolError !== failed)
    reasons.push(
      failed
        ? 'a tool result is an error, and the turn does not say "toolError": true'
        : 'no tool result is an error',
    );
  const missing = (when.tools ?? []).filter(
    (name) => !request.tools.some((tool) => tool.name === name),
  );
  if (missing.length > 0)
    reasons.push(
      `it needs tools that are not offered: ${missing.join(', ')} (is the server configured and ready? --demo adds those of the demos)`,
    );
  return reasons;
}

function groupsOf(
  scenario: Scenario,
  turn: Turn,
  conversation: Conversation,
): readonly (string | undefined)[] {
  const sources = [turn, ...scenario.turns].flatMap(({ when }) =>
    when.lastUser === undefined ? [] : [when.lastUser],
  );
  for (const source of sources) {
    const match = matchUser(source, conversation);
    if (match !== null) return match;
  }
  return [];
}

function matchUser(
  source: string,
  conversation: Conversation,
): readonly (string | undefined)[] | null {
  return new RegExp(source, 'iu').exec(conversation.lastUser);
}
