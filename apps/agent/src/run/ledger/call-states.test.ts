import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  OPEN_CALL_STATES,
  TOOL_CALL_STATES,
  type ToolCallPatch,
  type ToolCallState,
} from '../../ports/store/tool-call.ts';
import { CALL_TRANSITIONS, moveCall, type CallTransition } from './call-states.ts';

/** The states that each transition leads to, by the state before; a state that is not named is an error. */
const EXPECTED: {
  readonly [T in CallTransition]: { readonly [S in ToolCallState]?: ToolCallState };
} = {
  requireApproval: { planned: 'awaiting_approval' },
  approve: { awaiting_approval: 'planned' },
  dispatch: { planned: 'dispatched' },
  skipAttempt: { planned: 'planned' },
  postpone: {
    planned: 'planned',
    dispatched: 'dispatched',
    input_required: 'input_required',
    working: 'working',
  },
  claim: { dispatched: 'dispatched', input_required: 'input_required', working: 'working' },
  release: { dispatched: 'dispatched', input_required: 'input_required', working: 'working' },
  requestInput: {
    dispatched: 'input_required',
    input_required: 'input_required',
    working: 'input_required',
  },
  park: { dispatched: 'dispatched', input_required: 'input_required' },
  resume: { dispatched: 'dispatched', input_required: 'dispatched' },
  work: { dispatched: 'working', input_required: 'working' },
  requestCancel: { dispatched: 'dispatched', input_required: 'input_required', working: 'working' },
  retry: {
    planned: 'planned',
    dispatched: 'planned',
    input_required: 'planned',
    working: 'planned',
    unknown: 'planned',
  },
  succeed: {
    planned: 'succeeded',
    dispatched: 'succeeded',
    input_required: 'succeeded',
    working: 'succeeded',
    unknown: 'succeeded',
  },
  fail: {
    planned: 'failed',
    awaiting_approval: 'failed',
    dispatched: 'failed',
    input_required: 'failed',
    working: 'failed',
    unknown: 'failed',
  },
  cancel: {
    planned: 'cancelled',
    awaiting_approval: 'cancelled',
    dispatched: 'cancelled',
    input_required: 'cancelled',
    working: 'cancelled',
  },
  lose: { dispatched: 'unknown', input_required: 'unknown', working: 'unknown' },
};

const TRANSITIONS = Object.keys(CALL_TRANSITIONS) as CallTransition[];
const PAIRS = TRANSITIONS.flatMap((transition) =>
  TOOL_CALL_STATES.map((state) => ({ transition, state, next: EXPECTED[transition][state] })),
);
const ALLOWED = PAIRS.filter(({ next }) => next !== undefined);
const FORBIDDEN = PAIRS.filter(({ next }) => next === undefined);

/** A row of one call; a patch applies only to the expected state and attempt. */
class Row {
  state: ToolCallState;

  constructor(state: ToolCallState) {
    this.state = state;
  }

  updateToolCall(
    _id: string,
    expected: { readonly state: readonly ToolCallState[]; readonly attempt?: number },
    patch: ToolCallPatch,
  ): Promise<boolean> {
    const isExpected = expected.state.includes(this.state) && expected.attempt === 1;
    if (isExpected) this.state = patch.state ?? this.state;
    return Promise.resolve(isExpected);
  }
}

describe('the table of call states', () => {
  test.each(ALLOWED)('$transition moves a call from $state to $next', async (pair) => {
    const { transition, state, next } = pair;
    const row = new Row(state);
    expect(await moveCall(row, { id: 'c1', attempt: 1, state }, { transition })).toBe(true);
    expect(row.state).toBe(next);
  });

  test.each(FORBIDDEN)('$transition throws for a call that is $state', async (pair) => {
    const { transition, state } = pair;
    const row = new Row(state);
    await expect(moveCall(row, { id: 'c1', attempt: 1, state }, { transition })).rejects.toThrow(
      `The transition ${transition} is not allowed for the tool call c1, which is ${state}`,
    );
    expect(await moveCall(row, { id: 'c1', attempt: 1 }, { transition })).toBe(false);
    expect(row.state).toBe(state);
  });

  test('a call of a different attempt is not changed', async () => {
    const row = new Row('dispatched');
    const old = { id: 'c1', attempt: 0, state: 'dispatched' } as const;
    expect(await moveCall(row, old, { transition: 'succeed' })).toBe(false);
    expect(row.state).toBe('dispatched');
  });

  test('every state can be reached, every open state can be left, and an ended call does not change', () => {
    const reached = new Set(ALLOWED.map(({ next }) => next));
    expect(TOOL_CALL_STATES.filter((state) => !reached.has(state))).toEqual([]);
    const left = new Set(ALLOWED.filter(({ state, next }) => state !== next).map((p) => p.state));
    expect(new Set([...OPEN_CALL_STATES, 'unknown'])).toEqual(left);
  });
});

test('no other file of the engine writes a call', () => {
  const root = join(import.meta.dirname, '..');
  const writers = globSync('**/*.ts', { cwd: root }).filter(
    (path) =>
      !path.endsWith('.test.ts') &&
      /\b(?:insertToolCall|updateToolCall)\b/.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(writers).toEqual([join('ledger', 'call-states.ts')]);
});
