import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import {
  StageTracker,
  STAGE_TRANSITIONS,
  type StageState,
  type StageTransition,
} from './server-stage.ts';

/** The states that each transition leads to, by the state before; a state that is not named is an error. */
const EXPECTED: {
  readonly [T in StageTransition]: { readonly [S in StageState]?: StageState };
} = {
  open: { connecting: 'ready' },
  fail: { connecting: 'failed', ready: 'failed', draining: 'failed' },
  needLogin: { connecting: 'needs_login' },
  retry: { failed: 'connecting' },
  reconnect: {
    connecting: 'connecting',
    needs_login: 'connecting',
    failed: 'connecting',
    drained: 'connecting',
  },
  replace: { ready: 'connecting', draining: 'connecting' },
  drain: { ready: 'draining', draining: 'draining' },
  end: {
    connecting: 'drained',
    ready: 'drained',
    needs_login: 'drained',
    failed: 'drained',
    draining: 'drained',
    drained: 'drained',
  },
  close: {
    connecting: 'closed',
    ready: 'closed',
    needs_login: 'closed',
    failed: 'closed',
    draining: 'closed',
    drained: 'closed',
    closed: 'closed',
  },
};

/** Transitions from the first state, `connecting`, to each state. */
const PATHS: { readonly [S in StageState]: readonly StageTransition[] } = {
  connecting: [],
  ready: ['open'],
  needs_login: ['needLogin'],
  failed: ['fail'],
  draining: ['open', 'drain'],
  drained: ['end'],
  closed: ['close'],
};

const STATES = Object.keys(PATHS) as readonly StageState[];
const NONE = Object.fromEntries(STATES.map((state) => [state, undefined]));
const TRANSITIONS = Object.keys(STAGE_TRANSITIONS) as readonly StageTransition[];

function trackerIn(state: StageState): { tracker: StageTracker; clock: ManualClock } {
  const clock = new ManualClock();
  const tracker = new StageTracker(clock, () => undefined);
  for (const transition of PATHS[state]) tracker.move(transition);
  return { tracker, clock };
}

/** Returns the state after a transition; undefined when it is refused and the state stays. */
function stateAfter(state: StageState, transition: StageTransition): StageState | undefined {
  const { tracker } = trackerIn(state);
  try {
    tracker.move(transition);
    return tracker.current.state;
  } catch {
    return tracker.current.state === state ? undefined : tracker.current.state;
  }
}

test.each(TRANSITIONS)(
  '%s is allowed from its states only and leads to its state',
  (transition) => {
    const results = STATES.map((state) => [state, stateAfter(state, transition)] as const);
    expect(Object.fromEntries(results)).toEqual({ ...NONE, ...EXPECTED[transition] });
  },
);

test('a transition that is not allowed names the state and the allowed states', () => {
  const { tracker } = trackerIn('ready');
  expect(() => tracker.move('retry')).toThrow(
    'The transition retry is not allowed for a server that is ready; it needs failed.',
  );
});

test('each change to connecting counts as a restart, and no other change does', () => {
  for (const transition of TRANSITIONS)
    for (const from of STAGE_TRANSITIONS[transition].from) {
      const { tracker } = trackerIn(from);
      tracker.move(transition);
      const { state, restarts } = tracker.current;
      expect({ transition, restarts }).toEqual({
        transition,
        restarts: state === 'connecting' ? 1 : 0,
      });
    }
});

test('a replaced server keeps its offer until it is ready, fails or ends', () => {
  const { tracker } = trackerIn('ready');
  tracker.move('replace');
  expect(tracker.current.isReplaced).toBe(true);
  tracker.move('reconnect');
  expect(tracker.current.isReplaced).toBe(true);
  tracker.move('fail');
  tracker.move('retry');
  expect(tracker.current.isReplaced).toBe(false);
});

test('the step after draining is known only while the server drains', () => {
  const { tracker } = trackerIn('ready');
  tracker.move('drain', { afterDraining: 'end' });
  tracker.move('drain', { afterDraining: 'restart' });
  expect(tracker.current.afterDraining).toBe('restart');
  tracker.move('replace');
  expect(tracker.current.afterDraining).toBeUndefined();
});

test('the time of a stage is the time of its first transition to this state', () => {
  const { tracker, clock } = trackerIn('failed');
  const { since } = tracker.current;
  clock.advance(1000);
  tracker.move('retry', { error: 'it ended' });
  clock.advance(1000);
  tracker.move('reconnect');
  expect(tracker.current).toMatchObject({ since: since + 1000, error: undefined });
});
