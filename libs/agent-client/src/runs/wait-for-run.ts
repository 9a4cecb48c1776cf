import type { Run } from '../api-types.ts';
import type { Api } from '../create-api.ts';
import { attemptSignal } from '../retry/attempt-signal.ts';
import { BackOff, type RetryOptions } from '../retry/back-off.ts';
import { sleep } from '../retry/sleep.ts';
import { unwrap } from '../unwrap.ts';
import { isSettled } from './is-settled.ts';

/** Seconds of one request. Proxies close a connection without data, often after 60 seconds. */
const WAIT_S = 30;
/** Milliseconds after which a request without a response counts as lost. */
const LIMIT_MS = 2 * WAIT_S * 1000;
/** Milliseconds between requests to a service that does not wait. */
const POLL_MS = 1000;

/**
 * Resolves with a run when it is settled. A request that fails is sent again.
 * @throws ProblemError, such as `run_not_found`; the last error after `retryForMs` of failures; the reason of the signal
 */
export async function waitForRun(api: Api, id: string, options: RetryOptions = {}): Promise<Run> {
  const { signal } = options;
  const backOff = new BackOff(options);
  for (;;) {
    try {
      const response = api.GET('/v1/runs/{id}', {
        params: { path: { id }, header: { Prefer: `wait=${WAIT_S}` } },
        signal: attemptSignal(signal, LIMIT_MS),
      });
      const run = await unwrap(response);
      if (isSettled(run)) return run;
      backOff.reset();
      const { headers } = (await response).response;
      if (!headers.has('preference-applied')) await sleep(POLL_MS, signal);
    } catch (error) {
      await backOff.wait(error);
    }
  }
}
