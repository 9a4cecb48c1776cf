import { createHash } from 'node:crypto';
import { canonicalJson } from '@signalbox/mcp-core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { StorageError } from '../ports/store/errors.ts';
import { KEY_RETENTION_MS, type KeyClaim } from '../ports/store/idempotency.ts';
import type { OnCommit } from '../ports/run-engine.ts';
import type { StoreReader, Store } from '../ports/store.ts';
import type { Clock } from '../ports/clock.ts';
import { Problem } from './problem.ts';

/** Headers of every POST with an effect. */
export const KeyHeaders = z.looseObject({
  'idempotency-key': z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe(
      'Any text that the client chooses. A request with the same key and body within 24 hours has no further effect and returns the response of the first request, with `Idempotent-Replayed: true`',
    ),
});

export interface Answer<Body> {
  readonly status: number;
  readonly location?: string;
  readonly body: Body;
  /** Run that the body describes. */
  readonly runId?: string;
}

export interface Effect<T, Body> {
  /** Performs the effect and passes `onCommit` to its transaction. */
  readonly make: (onCommit?: OnCommit<T>) => Promise<T>;
  readonly answer: (result: T, read: StoreReader) => Promise<Answer<Body>> | Answer<Body>;
}

export interface Once<Body> extends Answer<Body> {
  readonly isReplayed: boolean;
}

/**
 * Serves a request with an effect once per `Idempotency-Key`, however often it is sent. A refused
 * request releases its key.
 */
export type ServeOnce = <T, Body>(
  request: FastifyRequest,
  effect: Effect<T, Body>,
) => Promise<Once<Body>>;

export interface OnceOptions {
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Creates the handler of idempotent requests. Keys and responses are stored in the transaction of
 * the effect, so they outlive the process.
 */
export function createServeOnce(options: OnceOptions): ServeOnce {
  const { store } = options;
  const releases = new KeyReleases(options);
  return async <T, Body>(
    request: FastifyRequest,
    { make, answer }: Effect<T, Body>,
  ): Promise<Once<Body>> => {
    // SQLite writes to removed files without an error.
    store.checkFiles();
    const key = keyOf(request);
    const answerAfter = async (made: T): Promise<Answer<Body>> => {
      try {
        return await answer(made, store.read);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        // The text of the error can say that nothing was changed.
        const text = 'the request was executed, but its result cannot be read at present';
        throw new StorageError(error.reason, text, { cause: error });
      }
    };
    if (key === undefined) return { ...(await answerAfter(await make())), isReplayed: false };
    // A worker that loses its lease meanwhile continues under another id.
    const owned: KeyClaim = { principal: request.principal, key, owner: store.workerId };
    let used: Once<Body> | undefined;
    try {
      used = await claim<Body>(options, request, owned);
    } catch (error) {
      // The key may be claimed all the same: the connection can end after the commit.
      if (!(error instanceof Problem)) releases.releaseLater(owned);
      throw error;
    }
    if (used !== undefined) return used;
    let given: Answer<Body> | undefined;
    try {
      releases.begin(owned);
      const result = await make(async (sql, made) => {
        given = await answer(made, sql);
        const { status, location, body, runId } = given;
        if (!(await sql.finishKey(owned, { response: { status, location, body }, runId })))
          throw inUse();
      });
      return { ...(given ?? (await answerAfter(result))), isReplayed: false };
    } catch (error) {
      // The client must see the first error.
      await releases.release(owned);
      throw error;
    } finally {
      releases.end(owned);
    }
  };
}

/** Pause before a key is released again that the store could not release, in milliseconds. */
const RELEASE_RETRY_MS = 1000;

/**
 * Releases the keys of requests that had no effect, and tries again until the store has done it.
 * While the process lives, nobody else can claim its keys.
 */
class KeyReleases {
  readonly #options: OnceOptions;
  /** Keys of the requests that this process serves. */
  readonly #served = new Set<string>();

  constructor(options: OnceOptions) {
    this.#options = options;
  }

  begin(owned: KeyClaim): void {
    this.#served.add(idOf(owned));
  }

  end(owned: KeyClaim): void {
    this.#served.delete(idOf(owned));
  }

  /** Releases a key, or does so later if the store cannot. */
  async release(owned: KeyClaim): Promise<void> {
    try {
      await this.#options.store.write({}, (sql) => sql.releaseKey(owned));
    } catch {
      this.releaseLater(owned);
    }
  }

  releaseLater(owned: KeyClaim): void {
    this.#options.clock.after(RELEASE_RETRY_MS, () => {
      // By now the key may belong to another request.
      if (!this.#served.has(idOf(owned))) void this.release(owned);
    });
  }
}

function idOf({ principal, key }: KeyClaim): string {
  return JSON.stringify([principal, key]);
}

/** Replaces the response stored with the effect by a later one. */
export async function keepLaterAnswer<Body>(
  { store }: OnceOptions,
  request: FastifyRequest,
  { status, location, body, runId }: Answer<Body>,
): Promise<void> {
  const key = keyOf(request);
  if (key === undefined) return;
  await store.write(runId === undefined ? {} : { run: runId }, async (sql) => {
    // Nothing is stored for a run that was deleted meanwhile.
    if (runId === undefined || (await sql.runStatus(runId)) !== undefined)
      await sql.finishKey(
        { principal: request.principal, key, owner: store.workerId },
        { response: { status, location, body }, runId },
      );
  });
}

/** Sets the status and headers of an answer and returns its body. */
export function replyWith<Body>(
  reply: FastifyReply,
  { status, location, body, isReplayed }: Once<Body>,
): Body {
  reply.code(status);
  if (location !== undefined) reply.header('location', location);
  if (isReplayed) reply.header('idempotent-replayed', 'true');
  return body;
}

/**
 * Claims a free key, or returns the stored response of its request.
 * @throws Problem when the key belongs to a different or unfinished request
 */
async function claim<Body>(
  { store, clock }: OnceOptions,
  request: FastifyRequest,
  owned: KeyClaim,
): Promise<Once<Body> | undefined> {
  const requestSha256 = createHash('sha256')
    .update(`${request.method} ${request.url}\n`)
    .update(Buffer.isBuffer(request.body) ? request.body : canonicalJson(request.body ?? {}))
    .digest('hex');
  const used = await store.write(
    {},
    async (sql) => {
      await sql.releaseKeysBefore(clock.now() - KEY_RETENTION_MS);
      return sql.claimKey({ ...owned, requestSha256 });
    },
    { urgent: true },
  );
  if (used === undefined) return undefined;
  if (used.requestSha256 !== requestSha256)
    throw new Problem(
      'idempotency_key_reused',
      'the Idempotency-Key was already used for a different request; use a new key for a new request',
    );
  if (!used.isDone) throw inUse();
  if (used.response === undefined)
    throw new Problem(
      'response_erased',
      'the request was already served, but its run was deleted afterwards; the request was not repeated',
    );
  const { status, location, body } = used.response;
  // The stored response belongs to the same method, path and body.
  return {
    status,
    ...(location === undefined ? {} : { location }),
    body: body as Body,
    ...(used.runId === undefined ? {} : { runId: used.runId }),
    isReplayed: true,
  };
}

function inUse(): Problem {
  return new Problem(
    'idempotency_key_in_use',
    'the first request with this Idempotency-Key is still in progress; retry later',
  );
}

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  return typeof key === 'string' ? key : undefined;
}
