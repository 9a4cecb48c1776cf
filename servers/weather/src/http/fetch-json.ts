import { WeatherError } from '../weather-error.ts';
import { withDeadline } from './deadline.ts';
import { readText } from './read-text.ts';
import type { Runtime } from './runtime.ts';

export interface FetchSettings {
  /** Time limit of one attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Time limit of all attempts and the delays between them, in milliseconds. */
  readonly totalTimeoutMs: number;
  readonly userAgent: string;
  /** Accepted media type; default `application/json`. */
  readonly accept?: string | undefined;
  /** Called before each retry. */
  readonly onRetry?: (() => void) | undefined;
  /** Values that are removed from texts of the service, such as the API key. */
  readonly secrets?: readonly string[] | undefined;
  readonly runtime: Runtime;
  readonly debug: (message: string) => void;
}

/**
 * Fetches a JSON document of at most 2 MiB. Retries 5xx responses and connection errors twice, and
 * a 429 once if its Retry-After is at most two seconds. Refuses redirects.
 * @throws WeatherError; the signal's reason when it aborts, the socket closed.
 */
export async function fetchJson(
  url: URL,
  settings: FetchSettings,
  signal: AbortSignal,
): Promise<unknown> {
  const deadline = {
    signal,
    timeoutMs: settings.totalTimeoutMs,
    expired: () => timedOut(url, settings.totalTimeoutMs),
  };
  return withDeadline(deadline, async (total) => {
    for (let tries = 1; ; tries += 1) {
      const outcome = await fetchOnce(url, settings, total);
      if (outcome.kind === 'json') return outcome.value;
      const pauseMs = pauseBefore(tries, outcome.retry, settings.runtime.random());
      if (pauseMs === undefined) throw outcome.error;
      await settings.runtime.pause(pauseMs, total);
      settings.onRetry?.();
    }
  });
}

type Retry =
  | { readonly kind: 'never' }
  | { readonly kind: 'backoff' }
  | { readonly kind: 'once'; readonly afterMs: number };

type Outcome =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: WeatherError; readonly retry: Retry };

const never: Retry = { kind: 'never' };
const backoffMs = [250, 1000];
const jitter = 0.2;

/** Returns the retry delay in milliseconds; `random` is 0 up to 1. */
function pauseBefore(tries: number, retry: Retry, random: number): number | undefined {
  if (retry.kind === 'once') return tries === 1 ? retry.afterMs : undefined;
  const pauseMs = retry.kind === 'backoff' ? backoffMs[tries - 1] : undefined;
  return pauseMs === undefined ? undefined : pauseMs * (1 + jitter * (2 * random - 1));
}

async function fetchOnce(url: URL, settings: FetchSettings, signal: AbortSignal): Promise<Outcome> {
  const startedAt = performance.now();
  const deadline = {
    signal,
    timeoutMs: settings.timeoutMs,
    expired: () => timedOut(url, settings.timeoutMs),
  };
  return withDeadline(deadline, async (trySignal) => {
    try {
      const headers = {
        accept: settings.accept ?? 'application/json',
        'user-agent': settings.userAgent,
      };
      // 'error' would report a redirect as a connection failure, which is retried.
      const response = await fetch(url, { headers, redirect: 'manual', signal: trySignal });
      settings.debug(
        `GET ${url.origin}${url.pathname} ${response.status} in ${Math.round(performance.now() - startedAt)} ms`,
      );
      return await outcomeOf(url, response, settings);
    } catch (error) {
      trySignal.throwIfAborted();
      if (error instanceof WeatherError) return { kind: 'failed', error, retry: never };
      settings.debug(`GET ${url.origin}${url.pathname} failed: ${networkCause(error)}`);
      return failedExchange(url, error);
    }
  });
}

const maxBodyBytes = 2 * 1024 * 1024;

async function outcomeOf(url: URL, response: Response, settings: FetchSettings): Promise<Outcome> {
  const { status } = response;
  if (status === 200) return { kind: 'json', value: await readJson(url, response) };
  if (status === 429) return rateLimited(url, response, settings);
  const failed = (error: WeatherError, retry: Retry): Outcome => ({ kind: 'failed', error, retry });
  const reason = await readReason(response, settings.secrets);
  if (status >= 500) {
    return failed(
      new WeatherError(
        'unavailable',
        `${url.host} is unavailable (HTTP ${status}${reason}). Try again in a few minutes.`,
        { httpStatus: status },
      ),
      { kind: 'backoff' },
    );
  }
  if (status >= 300 && status < 400) {
    return failed(
      new WeatherError(
        'invalid-response',
        `${url.host} answered with a redirect (HTTP ${status}), which is not followed.`,
      ),
      never,
    );
  }
  return failed(
    new WeatherError('rejected', `${url.host} refused the request (HTTP ${status}${reason}).`, {
      httpStatus: status,
    }),
    never,
  );
}

async function readJson(url: URL, response: Response): Promise<unknown> {
  const contentType = response.headers.get('content-type') ?? 'none';
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    await response.body?.cancel();
    throw new WeatherError(
      'invalid-response',
      `${url.host} answered with an unexpected content type (${contentType.slice(0, 80)}) instead of JSON; a proxy or login page may be in between.`,
    );
  }
  const text = await readText(response, maxBodyBytes);
  if (text === undefined)
    throw new WeatherError(
      'invalid-response',
      `${url.host} answered with more than ${maxBodyBytes} bytes, which is not read.`,
    );
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new WeatherError(
      'invalid-response',
      `${url.host} answered with JSON that is broken or incomplete. Try again.`,
      { cause: error },
    );
  }
}

const longestRetryAfterMs = 2000;

async function rateLimited(
  url: URL,
  response: Response,
  settings: FetchSettings,
): Promise<Outcome> {
  const announced = secondsOf(response.headers.get('retry-after'), settings.runtime.now());
  const reason = await readReason(response, settings.secrets);
  const retryAfterSeconds = Math.ceil(announced ?? secondsUntilReset(reason));
  const error = new WeatherError(
    'rate-limited',
    `The rate limit of ${url.host} is reached (HTTP 429${reason}). Try again in ${retryAfterSeconds} seconds.`,
    {
      retryAfterSeconds,
    },
  );
  const afterMs = announced === undefined ? Infinity : announced * 1000;
  return {
    kind: 'failed',
    error,
    retry: afterMs <= longestRetryAfterMs ? { kind: 'once', afterMs } : never,
  };
}

const daySeconds = 86_400;

/**
 * Returns the seconds of a Retry-After header, a number or a date, at most a day. @see
 * https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
function secondsOf(header: string | null, now: number): number | undefined {
  const value = header?.trim() ?? '';
  const seconds = /^\d/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), daySeconds);
}

/**
 * Returns the seconds until the limit resets. Open-Meteo sends no Retry-After; its text names the
 * exhausted window.
 */
function secondsUntilReset(reason: string): number {
  if (/daily/i.test(reason)) return daySeconds;
  return /hourly/i.test(reason) ? 3600 : 60;
}

/**
 * Returns `: <reason>` of an error document of Open-Meteo, `{"error":true,"reason":"…"}`, or of the
 * National Weather Service, `{"title":"…"}`, or an empty text.
 */
async function readReason(response: Response, secrets: readonly string[] = []): Promise<string> {
  const text = await readText(response, maxBodyBytes);
  const found = /"(?:reason|title)"\s*:\s*"((?:[^"\\]|\\.){1,200})/.exec(text ?? '')?.[1];
  const reason = secrets.reduce((left, secret) => left?.replaceAll(secret, '***'), found);
  return reason === undefined ? '' : `: ${reason.replaceAll(/[\p{Cc}\p{Cf}\\]/gu, ' ')}`;
}

function timedOut(url: URL, timeoutMs: number): WeatherError {
  return new WeatherError(
    'timeout',
    `${url.host} did not answer within ${timeoutMs / 1000} s. Try again in a minute.`,
  );
}

/** Error codes of a connection that could not be opened. */
const unreachableCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** Error of fetch for a forbidden port, such as 22; a retry cannot help. */
const forbiddenPort = 'bad port';

function failedExchange(url: URL, error: unknown): Outcome {
  const cause = networkCause(error);
  const failed = (code: 'network' | 'invalid-response', text: string, retry: Retry): Outcome => ({
    kind: 'failed',
    error: new WeatherError(code, `${url.host} ${text}`, { cause: error }),
    retry,
  });
  if (cause === forbiddenPort)
    return failed(
      'network',
      `cannot be used: port ${url.port} is not allowed for HTTP. Correct the configured URL.`,
      never,
    );
  if (unreachableCodes.has(cause))
    return failed(
      'network',
      `cannot be reached (${cause}): this computer seems to be offline, or the service is down. Try again later.`,
      { kind: 'backoff' },
    );
  return failed(
    'invalid-response',
    `broke off its answer or sent one that cannot be read (${cause}). Try again later.`,
    { kind: 'backoff' },
  );
}

/** Returns the code of the error that undici wraps in "fetch failed". */
function networkCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error)
    return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return String(cause);
}
