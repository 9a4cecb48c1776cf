import type { JsonObject } from '../jsonrpc/messages.ts';
import type { ContentBlock, Role } from './content.ts';
import type { Icon } from './icons.ts';
import type { CacheHints } from './resources.ts';

/** An argument of a prompt, as the server lists it. */
export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts */
export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
}

export type ListPromptsResult = CacheHints & {
  readonly prompts: readonly Prompt[];
  readonly nextCursor?: string;
};

/** A message of a prompt. */
export interface PromptMessage {
  readonly role: Role;
  readonly content: ContentBlock;
}

/** The result of `prompts/get`. */
export type GetPromptResult = {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly _meta?: JsonObject;
};
