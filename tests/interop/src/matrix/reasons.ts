import type { FeatureName } from './features/index.ts';

export type Without = { readonly [Name in FeatureName]?: string };

function each(names: readonly FeatureName[], reason: string): Without {
  return Object.fromEntries(names.map((name) => [name, reason]));
}

const INPUT_FEATURES = [
  'requests a form',
  'requests a visit to a URL',
  'requests sampling',
  'requests the roots',
  'sends three input requests at once',
] as const;
const STREAMS = [
  'resumes a stream that the server closed',
  'resumes a broken stream',
  'opens a new session when the server forgot its own',
  'ends its session',
] as const;
const TASKS = ['waits for a call that becomes a task', 'cancels a task'] as const;

/** The wire has no resumable streams, or only one stream, and no session to end. */
export const noSessions: Without = each(
  STREAMS,
  'only Streamable HTTP with sessions has streams that are resumed and sessions that are ended',
);

/** A known gap of both official clients. */
export const staysLost: Without = each(
  ['opens a new session when the server forgot its own'],
  'the official clients do not initialize again after 404: modelcontextprotocol/typescript-sdk#1476',
);

/** Legacy requests have no connection in common. */
export const noConnection: Without = {
  ...noSessions,
  ...each(INPUT_FEATURES, 'a server cannot request input outside a session'),
  ...each(
    ['announces an updated resource', 'announces changed lists'],
    'there is no stream for unsolicited notifications',
  ),
  ...each(['logs from the configured level'], 'no session remembers the level'),
};

/**
 * The official clients cancel only by a notification; ours also closes the stream, which a server
 * on SDK v1 can treat as a cancellation.
 */
export const noCancellation: Without = each(
  ['cancels a call'],
  'a cancellation that is a notification cannot be matched with its request outside a session',
);

/**
 * Observed with `--expose-gc`: after a garbage collection the signal of its web request no longer
 * aborts.
 */
export const forgetsDisconnects: Without = each(
  ['cancels a call'],
  'a legacy request to a server on SDK v2 outside a session notices a closed connection only until the next garbage collection',
);

export const noTasks: Without = each(
  TASKS,
  'the SDK v2 has no tasks, and 2026-07-28 has them as an extension that no SDK knows',
);
export const forgetsTasks: Without = each(
  TASKS,
  'a server on SDK v1 that is made for one request forgets its tasks with it',
);

/**
 * A known fault of both official clients with many messages in one chunk, which Streamable HTTP
 * hides.
 */
export const losesProgress: Without = each(
  ['loses no progress that arrives with the result'],
  'the official clients drop progress that arrives together with the result: modelcontextprotocol/typescript-sdk#2580',
);
