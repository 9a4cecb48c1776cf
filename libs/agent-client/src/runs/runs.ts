import type { NewRun, Run, RunEvent } from '../api-types.ts';
import type { Api } from '../create-api.ts';
import type { operations } from '../generated/openapi.ts';
import { paginate } from '../paginate.ts';
import type { RetryOptions } from '../retry/back-off.ts';
import { newIdempotencyKey } from '../retry/idempotency-key.ts';
import { withRetries, type OnceOptions } from '../retry/with-retries.ts';
import { unwrap } from '../unwrap.ts';
import { streamRun, type RunFrame, type StreamOptions } from './stream-run.ts';
import { waitForRun } from './wait-for-run.ts';

/** Options of {@link Runs.cancel}. */
export interface CancelOptions extends RetryOptions {
  /** Reason for people; part of the events of the run. */
  readonly reason?: string | undefined;
}

/** Filter of a list of runs. */
export type RunQuery = NonNullable<operations['listRuns']['parameters']['query']>;

/** Requests about runs. Their methods throw `ProblemError`, or the error of `fetch`. */
export class Runs {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Starts a run, once, even if a response is lost and the request is sent again. */
  create(
    run: NewRun,
    { idempotencyKey = newIdempotencyKey(), ...options }: OnceOptions = {},
  ): Promise<Run> {
    return withRetries(options, (signal) =>
      unwrap(
        this.#api.POST('/v1/runs', {
          params: { header: { 'Idempotency-Key': idempotencyKey } },
          body: run,
          signal,
        }),
      ),
    );
  }

  /** Returns a run. */
  get(id: string, { signal }: Pick<RetryOptions, 'signal'> = {}): Promise<Run> {
    return unwrap(
      this.#api.GET('/v1/runs/{id}', { params: { path: { id } }, signal: signal ?? null }),
    );
  }

  /** Yields the runs that match, newest first, over all pages. */
  list(
    query: RunQuery = {},
    { signal }: Pick<RetryOptions, 'signal'> = {},
  ): AsyncGenerator<Run, void> {
    return paginate((at) =>
      unwrap(
        this.#api.GET('/v1/runs', {
          params: { query: { ...query, ...at } },
          signal: signal ?? null,
        }),
      ),
    );
  }

  /** Yields the events that a run has, oldest first, over all pages. */
  events(
    id: string,
    { after = 0, types, signal }: Pick<StreamOptions, 'after' | 'types' | 'signal'> = {},
  ): AsyncGenerator<RunEvent, void> {
    const query = { after, limit: 1000, ...(types !== undefined && { types: types.join(',') }) };
    return paginate(async (at) => {
      const response = this.#api.GET('/v1/runs/{id}/events', {
        params: { path: { id }, query: { ...query, ...at } },
        signal: signal ?? null,
      });
      // Only a stream is answered without a body.
      return (await unwrap(response)) ?? { data: [] };
    });
  }

  /**
   * Yields the events of a run in order, each once, and the deltas of unfinished messages, until the run is settled. Begins with a `run.snapshot`, and has another after
   * each reconnection. A connection that is lost, refused with a retryable problem or silent for 45 seconds is opened again, after a delay that doubles up to 30 seconds.
   * The whole text of each message of the model comes as deltas before its `message.completed`, in order and without repetitions; its reasoning and arguments may lack parts after a reconnection, which `offset` shows.
   * @throws ProblemError, such as `run_not_found`; the last error after `retryForMs` of failures; the reason of the signal
   * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
   */
  stream(id: string, options: StreamOptions = {}): AsyncGenerator<RunFrame, void> {
    return streamRun(this.#api, id, options);
  }

  /** Starts a run and yields its frames as `stream` does. A consumer that stops does not cancel the run. */
  async *follow(
    run: NewRun,
    { idempotencyKey, ...options }: OnceOptions & Pick<StreamOptions, 'types'> = {},
  ): AsyncGenerator<RunFrame, void> {
    const { id } = await this.create(run, { idempotencyKey, ...options });
    yield* this.stream(id, options);
  }

  /**
   * Resolves with a run when it is settled, however long that takes; a run that needs a person waits for that person. Abort it with `signal`.
   * @throws ProblemError, such as `run_not_found`; the last error after `retryForMs` of failures; the reason of the signal
   */
  wait(id: string, options: RetryOptions = {}): Promise<Run> {
    return waitForRun(this.#api, id, options);
  }

  /** Cancels a run. Resolves with the run, which is `cancelling` until its calls have ended. A settled run stays as it is. */
  cancel(id: string, { reason, ...options }: CancelOptions = {}): Promise<Run> {
    return withRetries(options, (signal) =>
      unwrap(
        this.#api.POST('/v1/runs/{id}/cancel', {
          params: { path: { id } },
          body: reason === undefined ? {} : { reason },
          signal,
        }),
      ),
    );
  }
}
