import { ToolError } from '@signalbox/mcp-core';
import type { InteractiveContext } from '@signalbox/mcp-core/server';
import type { DestructiveStep } from '../tools/tool-runner.ts';

/** `auto` and `always` ask for every step a tool calls destructive; `never` asks for none. */
export type ConfirmationPolicy = 'auto' | 'always' | 'never';

export interface ConfirmationsOptions {
  readonly policy: ConfirmationPolicy;
  /** How long a token may be used, in milliseconds; default 10 minutes. */
  readonly tokenTtlMs?: number;
  /** Default: the system's clock. */
  readonly now?: () => number;
}

const maxTokens = 1000;

/**
 * Lets destructive steps happen after a person agreed: by elicitation where the client has it, else by a token that the caller gets with the
 * impact and sends back, which works once, for the same tool and the same arguments.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 */
export class Confirmations {
  readonly #options: Required<ConfirmationsOptions>;
  readonly #tokens = new Map<string, { readonly step: string; readonly expiresAt: number }>();

  constructor(options: ConfirmationsOptions) {
    this.#options = { tokenTtlMs: 600_000, now: Date.now, ...options };
  }

  /** @throws ToolError when the step was declined or not confirmed yet */
  async confirm(context: InteractiveContext, step: DestructiveStep): Promise<void> {
    if (this.#options.policy === 'never') return;
    // A token could come from the model alone.
    if (context.client.can('elicitation.form')) return ask(context, step);
    if (step.confirmToken !== undefined && this.#redeem(step.confirmToken, step)) return;
    const problem = step.confirmToken === undefined ? '' : 'The confirmToken is unknown, used, expired or was given for another call. ';
    const advice = `Nothing was done. If the user agrees, call ${step.tool} again with the same arguments and confirmToken "${this.#issue(step)}".`;
    throw new ToolError(`${problem}${step.impact} ${advice}`);
  }

  #issue(step: DestructiveStep): string {
    const token = crypto.randomUUID();
    const [oldest] = this.#tokens.keys();
    if (oldest !== undefined && this.#tokens.size >= maxTokens) this.#tokens.delete(oldest);
    this.#tokens.set(token, { step: textOf(step), expiresAt: this.#options.now() + this.#options.tokenTtlMs });
    return token;
  }

  #redeem(token: string, step: DestructiveStep): boolean {
    const issued = this.#tokens.get(token);
    this.#tokens.delete(token);
    return issued !== undefined && issued.step === textOf(step) && issued.expiresAt > this.#options.now();
  }
}

async function ask(context: InteractiveContext, { tool, impact }: DestructiveStep): Promise<void> {
  const { action, content } = await context.elicit('confirm', {
    message: `${tool}: ${impact}`,
    requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean', title: 'Do it', default: false } }, required: ['confirm'] },
  });
  if (action !== 'accept' || content?.['confirm'] !== true) throw new ToolError('The user declined, so nothing was done. Do not try again unless they ask for it.');
}

/** The same for equal arguments in any order. */
function textOf({ tool, arguments: args }: DestructiveStep): string {
  return JSON.stringify([tool, Object.entries(args).toSorted(([left], [right]) => (left < right ? -1 : 1))]);
}
