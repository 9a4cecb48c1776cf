import { PathError } from '../sandbox/path-error.ts';
import type { InteractiveContext, LegacySession, RequestContext } from '@signalbox/mcp-core/server';
import type { Root } from '@signalbox/mcp-core';
import type { SandboxBase } from '../sandbox/sandbox-base.ts';
import { Sandbox, type AllowedDirectory } from '../sandbox/sandbox.ts';
import { applyRoots } from './apply-roots.ts';

export type RootsMode = 'narrow' | 'replace' | 'ignore';

export interface SessionSandboxOptions {
  readonly cli: readonly AllowedDirectory[];
  readonly rootsMode: RootsMode;
  readonly base: SandboxBase;
  readonly warn: (message: string) => void;
  /** Called with what each answer of a legacy session allows; `isChange` when an earlier one allowed something else. */
  readonly decided?: (sandbox: Sandbox, isChange: boolean) => void;
}

/** How long a request waits for the client's answer to `roots/list`. */
export const rootsTimeoutMs = 2000;
/** When a request that still waits asks again on its own stream: a client over HTTP may have opened no other. */
const secondQuestionMs = 1000;

/**
 * What the peer of one connection may touch. In the legacy era the session's roots decide, together with the command line's directories; a request
 * waits for the newest answer and fails when there is none, it is never served with a wider set. Modern requests have no session: they get the
 * command line's directories, or ask for the roots of their client where these matter.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots
 */
export class SessionSandbox {
  readonly #options: SessionSandboxOptions;
  readonly #cliSandbox: Sandbox;
  #session: LegacySession | undefined;
  #question: RootsQuestion | undefined;
  #hadRoots = false;
  #current: Sandbox | undefined;
  /** The directories of the last answer. */
  #directories: string | undefined;

  constructor(options: SessionSandboxOptions) {
    this.#options = options;
    this.#cliSandbox = new Sandbox(
      options.cli,
      options.cli.length === 0 ? 'roots' : 'cli',
      options.base,
    );
  }

  /** For `onLegacySession`: called when a session starts and whenever its roots changed. */
  attach(session: LegacySession): void {
    this.#session = session;
    if (this.#options.rootsMode !== 'ignore') this.#ask(session);
  }

  /** For tools, reads and prompts. @throws PathError when the client does not answer, ProtocolError when it cannot be asked. */
  async forRequest(context: InteractiveContext): Promise<Sandbox> {
    const { rootsMode, cli } = this.#options;
    if (rootsMode === 'ignore') return this.#cliSandbox;
    if (context.client.era === 'legacy') return this.#forLegacy(context, context.listRoots);
    const isAsked = cli.length === 0 || (rootsMode === 'replace' && context.client.can('roots'));
    return isAsked ? this.#decide(await context.listRoots(), false) : this.#cliSandbox;
  }

  /** For lists and subscriptions. They have the command line's scope where there is one, because a modern client cannot be asked then. */
  async forConnection(context: RequestContext): Promise<Sandbox> {
    const { rootsMode, cli } = this.#options;
    const isFixed =
      rootsMode === 'ignore' ||
      context.client.era === 'modern' ||
      (rootsMode === 'narrow' && cli.length > 0);
    return isFixed ? this.#cliSandbox : this.#forLegacy(context);
  }

  /** For completion, which suggests nothing that a read would then refuse, as far as that is known without asking. */
  async forCompletion(context: RequestContext): Promise<Sandbox> {
    const isFixed = this.#options.rootsMode === 'ignore' || context.client.era === 'modern';
    return isFixed ? this.#cliSandbox : this.#forLegacy(context);
  }

  async #forLegacy(
    context: RequestContext,
    askOnStream?: () => Promise<readonly Root[]>,
  ): Promise<Sandbox> {
    const session = this.#session;
    if (session === undefined) {
      if (!context.client.can('roots')) return this.#cliSandbox;
      throw new PathError(
        'refused',
        'The client has not finished initializing, so its roots are not known. Send notifications/initialized first.',
      );
    }
    const question = this.#question ?? this.#ask(session);
    if (askOnStream === undefined || !question.isOpen) return question.sandbox;
    const again = setTimeout(
      () => void askOnStream().then(question.answered, () => undefined),
      secondQuestionMs,
    );
    try {
      return await question.sandbox;
    } finally {
      clearTimeout(again);
    }
  }

  #ask(session: LegacySession): RootsQuestion {
    const earlier = this.#question?.sandbox.catch(() => undefined);
    const { promise, resolve, reject } = Promise.withResolvers<readonly Root[] | undefined>();
    session.listRoots({ timeoutMs: rootsTimeoutMs }).then(resolve, reject);
    const sandbox = promise.then(
      async (roots) => {
        await earlier;
        const decided = await this.#decide(roots, this.#hadRoots);
        this.#hadRoots ||= decided.source === 'roots';
        this.#compare(decided);
        return decided;
      },
      (error: unknown) => {
        // Requests that waited for this answer fail; the next one asks again.
        if (this.#question === question) this.#question = undefined;
        const message =
          'The client did not say which directories it allows (no answer to roots/list), so nothing was done. Try again, or start the server with --roots ignore.';
        throw new PathError('refused', message, { cause: error });
      },
    );
    const question: RootsQuestion = { sandbox, answered: resolve, isOpen: true };
    const close = () => {
      question.isOpen = false;
    };
    // The requests that wait tell of a failure; there may be none.
    sandbox.then(close, close);
    this.#question = question;
    return question;
  }

  #compare(sandbox: Sandbox): void {
    const directories = JSON.stringify(sandbox.directories.map(({ realPath }) => realPath));
    const hasChanged = this.#directories !== undefined && this.#directories !== directories;
    this.#directories = directories;
    const isNarrower =
      this.#current?.directories.some(({ realPath }) => !sandbox.allows(realPath)) === true;
    if (isNarrower) this.#current?.revoke();
    this.#current = sandbox;
    this.#options.decided?.(sandbox, hasChanged);
  }

  async #decide(roots: readonly Root[] | undefined, hadRoots: boolean): Promise<Sandbox> {
    const { cli, rootsMode, base, warn } = this.#options;
    const decision = await applyRoots(
      { cli, roots, hadRoots, mode: rootsMode === 'replace' ? 'replace' : 'narrow' },
      base.opener,
    );
    if (decision.warning !== undefined) warn(decision.warning);
    return new Sandbox(decision.directories, decision.source, base);
  }
}

/** One `roots/list` of a session, however it is answered. */
interface RootsQuestion {
  readonly sandbox: Promise<Sandbox>;
  readonly answered: (roots: readonly Root[] | undefined) => void;
  isOpen: boolean;
}
