import type { Codec } from '../era/codec.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Implementation } from '../protocol/capabilities.ts';
import { ErrorCode, ProtocolError } from '../protocol/errors.ts';
import type { GetPromptResult, Prompt } from '../protocol/prompts.ts';
import { shorten } from '../protocol/shorten.ts';
import type { PromptDefinition } from './prompt.ts';
import { PublishedList } from './published-list.ts';
import { readString, readStrings } from './read-params.ts';
import type { ServedRequest } from './served-request.ts';

export interface PromptTableOptions {
  readonly info: Implementation;
  readonly pageSize: number | undefined;
}

/** The prompts of a server at one time. */
export class PromptTable {
  readonly #prompts: ReadonlyMap<string, PromptDefinition>;
  readonly #list: PublishedList;

  /** @throws Error for a name or an argument's name that is empty or not unique. */
  constructor(definitions: readonly PromptDefinition[], { info, pageSize }: PromptTableOptions) {
    const prompts = new Map<string, PromptDefinition>();
    for (const definition of definitions) {
      const { name } = definition;
      if (name === '' || prompts.has(name)) throw new Error(name === '' ? 'A prompt has no name' : `Two prompts are named ${name}`);
      assertArguments(definition);
      prompts.set(name, definition);
    }
    this.#prompts = prompts;
    this.#list = new PublishedList(definitions.map(publish), { method: 'prompts/list', member: 'prompts', info, pageSize });
  }

  get hasCompletions(): boolean {
    return [...this.#prompts.values()].some((prompt) => prompt.arguments?.some(({ complete }) => complete !== undefined));
  }

  get(name: string): PromptDefinition | undefined {
    return this.#prompts.get(name);
  }

  /** @throws ProtocolError -32602 for an unknown cursor. */
  page(cursor: string | undefined, codec: Codec): JsonObject {
    return this.#list.page(cursor, codec);
  }
}

/**
 * Serves `prompts/get`.
 * @throws ProtocolError -32602 for an unknown prompt, a required argument that is missing, and an argument that is no text.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#error-handling
 */
export async function getPrompt({ prompts }: { readonly prompts: PromptTable | undefined }, request: ServedRequest): Promise<GetPromptResult> {
  const name = readString(request.params, 'name');
  const prompt = prompts?.get(name);
  if (prompt === undefined) throw new ProtocolError(ErrorCode.invalidParams, `Unknown prompt: ${shorten(name)}`);
  const args = readStrings(request.params.arguments, 'arguments');
  const missing = prompt.arguments?.filter((argument) => argument.required === true && !Object.hasOwn(args, argument.name)) ?? [];
  if (missing.length > 0) {
    throw new ProtocolError(ErrorCode.invalidParams, `Invalid params: the prompt ${name} requires ${missing.map((argument) => argument.name).join(', ')}`);
  }
  return prompt.handler(args as never, request);
}

function assertArguments({ name, arguments: args = [] }: PromptDefinition): void {
  const names = new Set(args.map((argument) => argument.name));
  if (names.size < args.length || names.has('')) throw new Error(`The arguments of the prompt ${name} must have names, each its own`);
}

function publish({ handler: _handler, arguments: args, ...prompt }: PromptDefinition): Prompt {
  return args === undefined ? prompt : { ...prompt, arguments: args.map(({ complete: _complete, ...argument }) => argument) };
}
