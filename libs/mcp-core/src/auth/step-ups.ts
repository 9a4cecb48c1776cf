import { shorten } from '../protocol/errors.ts';
import { AuthorizationError } from './authorization-error.ts';
import { covers } from './scopes.ts';

/** Maximum number of times that a user or an issuer is asked for the same scopes. */
const MAX_REQUESTS = 2;
/** Maximum number of different lists of scopes that a server may demand. */
const MAX_DEMANDS = 32;

/**
 * The demands of one server for more scopes. Bounds them, so that a server cannot ask without end.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#step-up-authorization-flow
 */
export class StepUps {
  readonly #counts = new Map<string, number>();

  /**
   * Checks a demand, and counts it if it leads to a request.
   * @throws AuthorizationError `token-refused` when the scopes were granted, or requested too often
   */
  check(
    server: string,
    challenged: readonly string[],
    granted: readonly string[] | undefined,
    isCounted: boolean,
  ): void {
    const name = challenged.toSorted().join(' ');
    const count = this.#counts.get(name) ?? 0;
    const isGranted = granted !== undefined && covers(granted, challenged);
    if (isGranted || count >= MAX_REQUESTS || (count === 0 && this.#counts.size >= MAX_DEMANDS))
      throw new AuthorizationError(
        'token-refused',
        `${new URL(server).origin} still demands the scopes ${shorten(name)}, which were ${isGranted ? 'granted' : 'requested'} before.`,
      );
    if (isCounted) this.#counts.set(name, count + 1);
  }
}
