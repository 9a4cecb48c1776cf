import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { StorageError } from '../ports/store/errors.ts';
import { isSettled, type Run } from '../ports/store/run.ts';
import type { StoreReader } from '../ports/store.ts';
import type { Clock } from '../ports/clock.ts';
import type { SignalWatch } from '../signals/signal-watch.ts';
import {
  keepLaterAnswer,
  KeyHeaders,
  replyWith,
  type Answer,
  type Once,
  type OnceOptions,
} from './idempotency.ts';

const LONGEST_WAIT_S = 60;

/**
 * Returns the preferred wait of a request in milliseconds, at most a minute. Undefined without a
 * preference.
 * @see https://www.rfc-editor.org/rfc/rfc7240#section-4.3
 */
export function preferredWaitMs(request: FastifyRequest): number | undefined {
  const preferences = [request.headers['prefer'] ?? []].flat().join(',').split(/[,;]/);
  const seconds = preferences
    .map((preference) => /^\s*wait\s*=\s*"?(\d+)"?\s*$/i.exec(preference)?.[1])
    .find((found) => found !== undefined);
  return seconds === undefined ? undefined : Math.min(Number(seconds), LONGEST_WAIT_S) * 1000;
}

/** Preference of requests that can wait for a run to settle. */
export const preferWait = z
  .string()
  .optional()
  .describe('`wait=N`: seconds to wait until the run is settled, at most 60');

/** Headers of requests that start a run and can wait for it to settle. */
export const WaitHeaders = KeyHeaders.extend({ prefer: preferWait });

export interface Waiting<Body> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly served: Once<Body>;
  /** Returns the answer for a settled run. Undefined: answer as at the start. */
  readonly later: (run: Run) => Promise<Answer<Body> | undefined>;
}

/**
 * Answers when the run is settled, or after the preferred wait as at its start. Also answers as at the
 * start when the store fails meanwhile: an error could make the client start the run again.
 */
export async function answerInTime<Body extends { readonly id: string }>(
  dependencies: WaitDependencies & OnceOptions,
  { request, reply, served, later }: Waiting<Body>,
): Promise<Body> {
  if (served.isReplayed) return replyWith(reply, served);
  try {
    const run = await preferredRun(dependencies, served.body.id, { request, reply });
    const answer = run && (await later(run));
    if (answer === undefined) return replyWith(reply, served);
    await keepLaterAnswer(dependencies, request, answer);
    return replyWith(reply, { ...answer, isReplayed: false });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return replyWith(reply, served);
  }
}

/**
 * Resolves with the settled run within the preferred wait of a request. Undefined without a
 * preference, on timeout, or when the client has disconnected.
 */
export async function preferredRun(
  dependencies: WaitDependencies,
  runId: string,
  { request, reply }: Pick<Waiting<unknown>, 'request' | 'reply'>,
): Promise<Run | undefined> {
  const waitMs = preferredWaitMs(request);
  if (waitMs === undefined) return undefined;
  reply.header('preference-applied', `wait=${waitMs / 1000}`);
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return settledRun(dependencies, { runId, waitMs, signal: gone.signal });
}

export interface WaitDependencies {
  readonly read: StoreReader;
  readonly watch: SignalWatch;
  readonly clock: Clock;
}

export interface Wait {
  readonly runId: string;
  readonly waitMs: number;
  /** Aborts the wait. */
  readonly signal: AbortSignal;
}

/** Resolves with the settled run, or with undefined on timeout or abort. */
export async function settledRun(
  { read, watch, clock }: WaitDependencies,
  { runId, waitMs, signal }: Wait,
): Promise<Run | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Run | undefined>();
  const poll = async (): Promise<void> => {
    const run = await read.run(runId);
    if (run === undefined || isSettled(run)) resolve(run);
  };
  const giveUp = (): void => resolve(undefined);
  const unsubscribe = watch.subscribe(`run:${runId}`, {
    onSignal: ({ type }) => {
      if (type === 'events') poll().catch(reject);
    },
    onPoll: () => poll().catch(reject),
  });
  const cancelTimer = clock.after(waitMs, giveUp);
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  poll().catch(reject);
  try {
    return await promise;
  } finally {
    unsubscribe();
    cancelTimer();
    signal.removeEventListener('abort', giveUp);
  }
}
