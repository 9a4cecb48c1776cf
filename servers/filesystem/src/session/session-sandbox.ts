import {
  type AllowedDirectory,
  PathError,
  Sandbox,
  type SandboxBase,
} from '@signalbox/file-sandbox';
import type { InteractiveContext, LegacySession, RequestContext } from '@signalbox/mcp-core/server';
import type { Root } from '@signalbox/mcp-core';
import { applyRoots } from './apply-roots.ts';
import type { RootsMode } from './roots-mode.ts';

export interface SessionSandboxOptions {
  readonly cli: readonly AllowedDirectory[];
  readonly rootsMode: RootsMode;
  readonly base: SandboxBase;
  readonly warn: (message: string) => void;
  /**
   * Called with the sandbox of each answer of a legacy session; `isChange` when it differs from the
   * previous one.
   */
  readonly decided?: (sandbox: Sandbox, isChange: boolean) => void;
}

/** Milliseconds for which a request waits for the client's answer to `roots/list`. */
export const rootsTimeoutMs = 2000;
/**
 * Milliseconds after which a waiting request asks again on its own stream: a client over HTTP may
 * have opened no other.
 */
const secondQuestionMs = 1000;

/**
 * Provides the sandbox of one connection. In the legacy era it depends on the session's roots and
 * the directories of the command line. A request waits for the newest roots and fails without an
 * answer; it never gets a wider sandbox. Modern requests have no session: they use the directories
 * of the command line, or ask for the roots of their client when these matter.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots
 */
export class SessionSandbox {
  readonly #options: SessionSandboxOptions;
  readonly #cliSandbox: Sandbox;
  #session: LegacySession | undefined;
  #question: RootsQuestion | undefined;
  #hadRoots = false;
  #current: Sandbox | undefined;
  /** Allowed directories of the last answer, as one text. */
  #directories: string | undefined;

  constructor(options: SessionSandboxOptions) {
    this.#options = options;
    this.#cliSandbox = new Sandbox(
      options.cli,
      options.cli.length === 0 ? 'roots' : 'cli',
      options.base,
    );
  }

  /** Attaches a session when it starts and whenever its roots change; for `onLegacySession`. */
  attach(session: LegacySession): void {
    this.#session = session;
    if (this.#options.rootsMode !== 'ignore') this.#ask(session);
  }

  /** Returns the sandbox for tools, reads and prompts. */
  async forRequest(context: InteractiveContext): Promise<Sandbox> {
    const { rootsMode, cli } = this.#options;
    if (rootsMode === 'ignore') return this.#cliSandbox;
    if (context.client.era === 'legacy') return this.#forLegacy(context, context.listRoots);
    const isAsked = cli.length === 0 || (rootsMode === 'replace' && context.client.can('roots'));
    return isAsked ? this.#decide(await context.listRoots(), false) : this.#cliSandbox;
  }

  /**
   * Returns the sandbox for lists and subscriptions: the directories of the command line, if any,
   * because these requests cannot ask a modern client.
   */
  async forConnection(context: RequestContext): Promise<Sandbox> {
    const { rootsMode, cli } = this.#options;
    const isFixed =
      rootsMode === 'ignore' ||
      context.client.era === 'modern' ||
      (rootsMode === 'narrow' && cli.length > 0);
    return isFixed ? this.#cliSandbox : this.#forLegacy(context);
  }

  /**
   * Returns the sandbox for completion, which suggests no path that a read would refuse, as far as
   * known without a question.
   */
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
        // Requests that waited for this answer fail; the next request asks again.
        if (this.#question === question) this.#question = undefined;
        const message =
          'The client did not answer roots/list, so its allowed directories are unknown. Nothing was done. Try again, or start the server with --roots ignore.';
        throw new PathError('refused', message, { cause: error });
      },
    );
    const question: RootsQuestion = { sandbox, answered: resolve, isOpen: true };
    const close = () => {
      question.isOpen = false;
    };
    // Waiting requests report the failure, if there are any.
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

/** A `roots/list` request of a session. */
interface RootsQuestion {
  readonly sandbox: Promise<Sandbox>;
  readonly answered: (roots: readonly Root[] | undefined) => void;
  isOpen: boolean;
}
