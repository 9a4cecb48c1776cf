import { canonicalJson, type JsonObject, ToolError } from '@signalbox/mcp-core';
import type { InteractiveContext } from '@signalbox/mcp-core/server';

/**
 * The policies for confirmations. `auto`: confirms steps that are not routine. `always`: confirms
 * every step. `never`: confirms none.
 */
export const confirmationPolicies = ['auto', 'always', 'never'] as const;
/** The policy for calls that need a confirmation. */
export type ConfirmationPolicy = (typeof confirmationPolicies)[number];

/** A step of a call that needs a confirmation. */
export interface DestructiveStep {
  readonly tool: string;
  /** Arguments of the call, without `confirmToken`. */
  readonly arguments: JsonObject;
  /** Description of the impact for the user, one or two sentences. */
  readonly impact: string;
  /** Token of the caller. */
  readonly confirmToken?: string;
  /** Whether the step is confirmed under `always` only. Default false. */
  readonly isRoutine?: boolean;
  /**
   * Whether the error with the token also has it as structured content, `{confirmToken, impact}`. The
   * output schema of the tool must then allow it. Default false.
   */
  readonly hasStructuredToken?: boolean;
}

/** Options of `Confirmations`. */
export interface ConfirmationsOptions {
  /** Policy; default `auto`. */
  readonly policy?: ConfirmationPolicy | undefined;
  /** Lifetime of a token in milliseconds; default 10 minutes. */
  readonly tokenMs?: number | undefined;
  /** Monotonic clock in milliseconds; default `performance.now`. */
  readonly now?: (() => number) | undefined;
}

/** Maximum number of stored tokens; the oldest are evicted. */
const maxTokens = 1000;

/**
 * Asks before destructive steps: the person behind the client where the client can elicit (a request of its own in the legacy eras, `input_required` in the
 * modern one), otherwise by a call that fails with the impact and a token, and has to be repeated with it. A token is used up by the first call that
 * brings it and counts for exactly the tool and arguments it was given for. A call may confirm several steps, one after the
 * other; a token then counts for the steps up to the one it was given for. Keep one object for all connections of a server.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 */
export class Confirmations {
  readonly #policy: ConfirmationPolicy;
  readonly #tokenMs: number;
  readonly #now: () => number;
  /** Tokens, oldest first. */
  readonly #tokens = new Map<string, Token>();
  readonly #progress = new WeakMap<InteractiveContext, TokenProgress>();

  constructor({
    policy = 'auto',
    tokenMs = 600_000,
    now = () => performance.now(),
  }: ConfirmationsOptions = {}) {
    this.#policy = policy;
    this.#tokenMs = tokenMs;
    this.#now = now;
  }

  /**
   * Resolves when the step is confirmed. The handler runs again from its start after each input
   * response of the modern era and for each token, so confirm every step before the first change.
   * @throws ToolError when the user declined; for a client without form elicitation, with the token
   * that confirms the repeated call
   */
  async confirm(context: InteractiveContext, step: DestructiveStep): Promise<void> {
    if (this.#policy === 'never' || (this.#policy === 'auto' && step.isRoutine === true)) return;
    if (context.client.can('elicitation.form')) await ask(context, step);
    else this.#redeem(context, step);
  }

  #redeem(context: InteractiveContext, step: DestructiveStep): void {
    const { tool, confirmToken, impact } = step;
    const call = canonicalJson([tool, step.arguments]);
    const progress = this.#progress.get(context) ?? {
      steps: 0,
      agreed: confirmToken === undefined ? 0 : this.#useToken(confirmToken, step, call),
    };
    progress.steps += 1;
    this.#progress.set(context, progress);
    if (progress.steps <= progress.agreed) return;
    const token = this.#issue({
      call,
      steps: progress.steps,
      expiresAt: this.#now() + this.#tokenMs,
    });
    throw new ToolError(
      `${impact} Nothing was done yet. Ask the user; if they agree, call ${tool} again with the same arguments and "confirmToken": "${token}".`,
      step.hasStructuredToken === true
        ? { structuredContent: { confirmToken: token, impact } }
        : {},
    );
  }

  /** Consumes a token and returns the number of steps that it confirms. */
  #useToken(confirmToken: string, { tool }: DestructiveStep, call: string): number {
    const token = this.#tokens.get(confirmToken);
    this.#tokens.delete(confirmToken);
    if (token?.call === call && token.expiresAt > this.#now()) return token.steps;
    throw new ToolError(
      `This confirmToken is not valid for these arguments: it was used already, has expired, was issued for another call, or what it affects has changed. Nothing was done. Call ${tool} without it to get a new one.`,
    );
  }

  #issue(issued: Token): string {
    const token = process.getBuiltinModule('node:crypto').randomBytes(16).toString('base64url');
    this.#tokens.set(token, issued);
    for (const oldest of this.#tokens.keys()) {
      if (this.#tokens.size <= maxTokens) break;
      this.#tokens.delete(oldest);
    }
    return token;
  }
}

interface Token {
  /** Key of the tool and its arguments. */
  readonly call: string;
  /** Number of steps of the call that the token confirms. */
  readonly steps: number;
  readonly expiresAt: number;
}

/** Progress of one call: its confirmed steps so far, and the steps that its token confirms. */
interface TokenProgress {
  steps: number;
  readonly agreed: number;
}

async function ask(context: InteractiveContext, step: DestructiveStep): Promise<void> {
  const { tool, impact } = step;
  const { action, content } = await context.elicit(keyOf(step), {
    mode: 'form',
    message: impact,
    requestedSchema: {
      type: 'object',
      properties: {
        confirm: {
          type: 'boolean',
          title: 'Go ahead',
          description: `Whether ${tool} may do this.`,
          default: false,
        },
      },
      required: ['confirm'],
    },
  });
  if (action === 'accept' && content?.['confirm'] === true) return;
  throw new ToolError(
    action === 'cancel'
      ? 'The user did not answer. Nothing was done.'
      : 'The user declined. Nothing was done.',
  );
}

/** Returns the key of the elicitation for one step. */
function keyOf({ tool, arguments: args, impact }: DestructiveStep): string {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const digest = createHash('sha256')
    .update(canonicalJson([tool, args, impact]))
    .digest('base64url');
  return `confirm-${digest.slice(0, 16)}`;
}
