import { PathError } from '../sandbox/path-error.ts';
import type { InteractiveContext, LegacySession, RequestContext } from '@signalbox/mcp-core/server';
import type { Root } from '@signalbox/mcp-core';
import type { Opener } from '../sandbox/pinned-path.ts';
import { applyRoots, type RootsDecision } from '../sandbox/roots.ts';
import { Sandbox, type AllowedDirectory } from '../sandbox/sandbox.ts';

export type RootsMode = 'narrow' | 'replace' | 'ignore';

export interface SessionSandboxOptions {
  readonly cli: readonly AllowedDirectory[];
  readonly rootsMode: RootsMode;
  readonly opener: Opener;
  readonly warn: (message: string) => void;
}

/** How long a request waits for the client's answer to `roots/list`. */
export const rootsTimeoutMs = 2000;

/**
 * What the peer of one connection may touch. In the legacy era the session's roots narrow the command line's directories; a request waits for
 * the newest answer and fails when there is none, it is never served with a wider set. Modern requests have no session: they get the command
 * line's directories, or the roots their client answers with when there are none.
 */
export class SessionSandbox {
  readonly #options: SessionSandboxOptions;
  readonly #cliSandbox: Sandbox;
  #session: LegacySession | undefined;
  #answer: Promise<Sandbox> | undefined;
  #hasNarrowed = false;

  constructor(options: SessionSandboxOptions) {
    this.#options = options;
    this.#cliSandbox = new Sandbox(options.cli, 'cli', options.opener);
  }

  /** For `onLegacySession`: called when a session starts and whenever its roots changed. */
  attach(session: LegacySession): void {
    this.#session = session;
    if (this.#options.rootsMode !== 'ignore') this.#ask(session).catch(() => undefined);
  }

  /** For tools and reads. @throws PathError when the client does not answer, ProtocolError when it cannot be asked. */
  async forRequest(context: InteractiveContext): Promise<Sandbox> {
    if (this.#options.rootsMode === 'ignore') return this.#cliSandbox;
    if (context.client.era === 'legacy') return this.#forLegacy(context);
    if (this.#options.cli.length > 0) return this.#cliSandbox;
    return this.#decide(await context.listRoots(), false);
  }

  /** For lists and subscriptions, which do not depend on roots when the command line names directories. */
  async forConnection(context: RequestContext): Promise<Sandbox> {
    if (this.#options.cli.length > 0 || context.client.era === 'modern') return this.#cliSandbox;
    return this.#options.rootsMode === 'ignore' ? this.#cliSandbox : this.#forLegacy(context);
  }

  async #forLegacy(context: RequestContext): Promise<Sandbox> {
    if (this.#session === undefined) {
      if (!context.client.can('roots')) return this.#cliSandbox;
      throw new PathError('refused', 'The client has not finished initializing, so its roots are not known. Send notifications/initialized first.');
    }
    return this.#answer ?? this.#ask(this.#session);
  }

  #ask(session: LegacySession): Promise<Sandbox> {
    const earlier = this.#answer?.catch(() => undefined);
    const answer = session.listRoots({ timeoutMs: rootsTimeoutMs }).then(
      async (roots) => {
        await earlier;
        const sandbox = await this.#decide(roots, this.#hasNarrowed);
        this.#hasNarrowed ||= sandbox.source === 'roots';
        return sandbox;
      },
      (error: unknown) => {
        // Requests that waited for this answer fail; the next one asks again.
        if (this.#answer === answer) this.#answer = undefined;
        const message = 'The client did not say which directories it allows (no answer to roots/list), so nothing was done. Try again, or start the server with --roots ignore.';
        throw new PathError('refused', message, { cause: error });
      },
    );
    this.#answer = answer;
    return answer;
  }

  async #decide(roots: readonly Root[] | undefined, hasNarrowed: boolean): Promise<Sandbox> {
    const { cli, opener, warn } = this.#options;
    const decision: RootsDecision = await applyRoots({ cli, roots, hasNarrowed }, opener);
    if (decision.warning !== undefined) warn(decision.warning);
    return new Sandbox(decision.directories, decision.source, opener);
  }
}
