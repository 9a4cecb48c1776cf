import type { LoginRequest } from '@signalbox/mcp-core/auth';
import type { LoginMark } from './server-authorizations.ts';

/** `login`, `logout`: of a person, by any process, since the last look. */
export type LoginChange = 'none' | 'login' | 'logout';

/** Tracks the login that a server needs, and the logins and logouts since then. */
export class LoginTracker {
  #seen: LoginMark | undefined;
  #needed: LoginRequest | undefined;
  #isUsed = false;

  /** The login that the server needs. */
  get needed(): LoginRequest | undefined {
    return this.#needed;
  }

  /** Whether the server is tried with a new login. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Notes the last login before the server is used, so that `look` finds a later one. */
  begin(mark: LoginMark | undefined): void {
    this.#seen = mark;
  }

  /** Stores that the server needs a login. */
  need(request: LoginRequest): void {
    this.#isUsed = false;
    this.#needed = request;
  }

  /** Stores that the server needs no login, as far as is known. */
  satisfied(): void {
    this.#isUsed = false;
    this.#needed = undefined;
  }

  /** Looks for a login or logout since the last look. The server is then tried again. */
  look(mark: LoginMark | undefined): LoginChange {
    if (mark === undefined || mark.revision === this.#seen?.revision) return 'none';
    this.#seen = mark;
    this.#needed = undefined;
    this.#isUsed = true;
    return mark.isLoggedIn ? 'login' : 'logout';
  }
}
