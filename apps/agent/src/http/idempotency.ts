import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { canonicalJson } from '../canonical-json.ts';
import type { IdempotencyKey } from '../ports/idempotency-store.ts';
import type { Receipt } from '../ports/run-engine.ts';
import type { RunReader, RunStore } from '../ports/run-store.ts';
import type { Clock } from '../ports/clock.ts';
import { Problem } from './problem.ts';

/** Of every POST that has an effect. */
export const KeyHeaders = z.looseObject({
  'idempotency-key': z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe(
      'Any text of the client. A repetition with the same key and body within 24 hours has no further effect: it gets the answer of the first, with `Idempotent-Replayed: true`',
    ),
});

export interface Answer<Body> {
  readonly status: number;
  readonly location?: string;
  readonly body: Body;
  /** The run that the body tells of. */
  readonly runId?: string;
}

export interface Effect<T, Body> {
  /** Has the effect, and gives the receipt to the transaction that has it. */
  readonly make: (receipt?: Receipt<T>) => Promise<T>;
  readonly answer: (result: T, read: RunReader) => Promise<Answer<Body>> | Answer<Body>;
}

export interface Once<Body> extends Answer<Body> {
  readonly isReplayed: boolean;
}

/** Serves a request that has an effect: with an `Idempotency-Key` once, however often it comes. A request that is refused leaves its key free. */
export type ServeOnce = <T, Body>(
  request: FastifyRequest,
  effect: Effect<T, Body>,
) => Promise<Once<Body>>;

export interface OnceOptions {
  readonly store: RunStore;
  readonly clock: Clock;
  /** Whose keys they are. */
  readonly principal: string;
}

const KEPT_MS = 24 * 60 * 60 * 1000;

/** Keys and answers are kept in SQL, with the effect in one transaction, so that they outlive the process. */
export function createServeOnce(options: OnceOptions): ServeOnce {
  const { store, principal } = options;
  return async <T, Body>(
    request: FastifyRequest,
    { make, answer }: Effect<T, Body>,
  ): Promise<Once<Body>> => {
    // SQLite writes to removed files without an error.
    store.checkFiles();
    const key = keyOf(request);
    if (key === undefined)
      return { ...(await answer(await make(), store.read)), isReplayed: false };
    const used = await claim<Body>(options, request, { principal, key });
    if (used !== undefined) return used;
    let given: Answer<Body> | undefined;
    try {
      const result = await make(async (sql, made) => {
        given = await answer(made, sql);
        const { status, location, body, runId } = given;
        await sql.finishKey({ principal, key }, { response: { status, location, body }, runId });
      });
      return { ...(given ?? (await answer(result, store.read))), isReplayed: false };
    } catch (error) {
      // A key that cannot be freed is free at the next start; what happened first is what the client must hear.
      await store.write((sql) => sql.releaseKey({ principal, key })).catch(() => undefined);
      throw error;
    }
  };
}

/** Puts a later answer in the place of the one that was kept with the effect. */
export async function keepLaterAnswer<Body>(
  { store, principal }: OnceOptions,
  request: FastifyRequest,
  { status, location, body, runId }: Answer<Body>,
): Promise<void> {
  const key = keyOf(request);
  if (key === undefined) return;
  await store.write(async (sql) => {
    // Of a run that was deleted meanwhile nothing is kept.
    if (runId === undefined || (await sql.run(runId)) !== undefined)
      await sql.finishKey({ principal, key }, { response: { status, location, body }, runId });
  });
}

/** The keys of a token are its own; the token itself is not stored. */
export function principalOf(token: string | undefined): string {
  return token === undefined ? 'anonymous' : createHash('sha256').update(token).digest('hex');
}

/** Answers with the status and the headers; returns the body. */
export function replyWith<Body>(
  reply: FastifyReply,
  { status, location, body, isReplayed }: Once<Body>,
): Body {
  reply.code(status);
  if (location !== undefined) reply.header('location', location);
  if (isReplayed) reply.header('idempotent-replayed', 'true');
  return body;
}

/** Takes a free key, or returns the answer of the request that used it. @throws Problem when that was another one, or has no answer */
async function claim<Body>(
  { store, clock }: OnceOptions,
  request: FastifyRequest,
  { principal, key }: IdempotencyKey,
): Promise<Once<Body> | undefined> {
  const requestSha256 = createHash('sha256')
    .update(`${request.method} ${request.url}\n${canonicalJson(request.body ?? {})}`)
    .digest('hex');
  const used = await store.write(
    async (sql) => {
      await sql.releaseKeysBefore(clock.now() - KEPT_MS);
      return sql.claimKey({ principal, key, requestSha256, owner: store.bootId });
    },
    { urgent: true },
  );
  if (used === undefined) return undefined;
  if (used.requestSha256 !== requestSha256)
    throw new Problem(
      'idempotency_key_reused',
      'the Idempotency-Key was sent with another request before; a new request needs a new key',
    );
  if (!used.isDone)
    throw new Problem(
      'idempotency_key_in_use',
      'the first request with this Idempotency-Key is not answered yet; send it again in a moment',
    );
  if (used.response === undefined)
    throw new Problem(
      'response_erased',
      'the request was served before, and the run that it was about was deleted since; nothing was done again',
    );
  const { status, location, body } = used.response;
  // What is kept under this hash was made for the same method, path and body.
  return {
    status,
    ...(location === undefined ? {} : { location }),
    body: body as Body,
    ...(used.runId === undefined ? {} : { runId: used.runId }),
    isReplayed: true,
  };
}

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  return typeof key === 'string' ? key : undefined;
}
