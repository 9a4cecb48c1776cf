import type { JsonObject } from '@signalbox/mcp-core';
import type { ServerMiddleware, ServerRequest } from '@signalbox/mcp-core/server';
import type { Logger } from './logger.ts';

/** The kind of a logged request, and the member of its params that names its subject. */
const LOGGED: ReadonlyMap<string, readonly [kind: string, member: string]> = new Map([
  ['tools/call', ['tool', 'name']],
  ['prompts/get', ['prompt', 'name']],
  ['resources/read', ['resource', 'uri']],
]);

/** Longest name or URI in a log line. */
const MAX_NAME_CHARACTERS = 200;

/** Facts of the logged requests that run, by the signal of the request. */
const factsOf = new WeakMap<AbortSignal, Map<string, number>>();

/**
 * Returns middleware that logs the end of each `tools/call`, `prompts/get` and `resources/read` at
 * level debug: `tool=<name> outcome=<outcome> <facts> ms=<n>`, with `prompt=<name>` or
 * `resource=<uri>` in place of `tool`. The outcome is `finished`, `failed` (also for a result with
 * `isError`), `cancelled`, or `asked` for each round of a 2026-07-28 request that needs input.
 */
export function logCalls(log: Logger): ServerMiddleware {
  return async (request, next) => {
    const subject = subjectOf(request);
    if (subject === undefined) return next();
    const startedAt = performance.now();
    const { signal } = request.context;
    const facts = new Map<string, number>();
    factsOf.set(signal, facts);
    const end = (outcome: 'finished' | 'failed' | 'cancelled' | 'asked'): void => {
      const noted = Array.from(facts, ([name, value]) => `${name}=${value}`);
      const elapsed = `ms=${Math.round(performance.now() - startedAt)}`;
      log.debug([subject, `outcome=${outcome}`, ...noted, elapsed].join(' '));
    };
    try {
      const result = await next();
      if (isFailure(result)) end(signal.aborted ? 'cancelled' : 'failed');
      else end(result['resultType'] === 'input_required' ? 'asked' : 'finished');
      return result;
    } catch (error) {
      end(signal.aborted ? 'cancelled' : 'failed');
      throw error;
    }
  };
}

/**
 * Adds a fact such as `scanned=1234` to the log line of a request; the last value of a name counts.
 * Does nothing for a request that is not logged. `signal` is that of the handler's context.
 */
export function noteFact(signal: AbortSignal, name: string, value: number): void {
  factsOf.get(signal)?.set(name, value);
}

function subjectOf({ method, params }: ServerRequest): string | undefined {
  const logged = LOGGED.get(method);
  if (logged === undefined) return undefined;
  const [kind, member] = logged;
  const name = params[member];
  return `${kind}=${typeof name === 'string' ? quoted(name) : '?'}`;
}

/** Quotes a name of the client that could be read as more than one word. */
function quoted(name: string): string {
  const text = name.length <= MAX_NAME_CHARACTERS ? name : `${name.slice(0, MAX_NAME_CHARACTERS)}…`;
  return /^[^\s"=]+$/u.test(text) ? text : JSON.stringify(text);
}

function isFailure(result: JsonObject): boolean {
  return result['isError'] === true;
}

/**
 * Returns an `onError` for `ServerEvents` that logs errors, which the peer does not see, with
 * their stack.
 */
export function logErrors(log: Logger): (error: unknown) => void {
  return (error) => {
    log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  };
}
