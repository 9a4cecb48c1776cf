import type { Codec } from '../../era/codec.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import type { Prompt } from '../../protocol/prompts.ts';
import type { PromptDefinition } from './prompt.ts';
import { PublishedList } from '../lists/published-list.ts';

export interface PromptTableOptions {
  readonly info: Implementation;
  readonly pageSize: number | undefined;
}

/** An immutable table of prompts. */
export class PromptTable {
  readonly #prompts: ReadonlyMap<string, PromptDefinition>;
  readonly #list: PublishedList;

  /** @throws Error for a name or an argument's name that is empty or not unique. */
  constructor(definitions: readonly PromptDefinition[], { info, pageSize }: PromptTableOptions) {
    const prompts = new Map<string, PromptDefinition>();
    for (const definition of definitions) {
      const { name } = definition;
      if (name === '' || prompts.has(name))
        throw new Error(name === '' ? 'A prompt has no name' : `Two prompts are named ${name}`);
      assertArguments(definition);
      prompts.set(name, definition);
    }
    this.#prompts = prompts;
    this.#list = new PublishedList(definitions.map(publish), {
      method: 'prompts/list',
      member: 'prompts',
      info,
      pageSize,
    });
  }

  get hasCompletions(): boolean {
    return [...this.#prompts.values()].some((prompt) =>
      prompt.arguments?.some(({ complete }) => complete !== undefined),
    );
  }

  get(name: string): PromptDefinition | undefined {
    return this.#prompts.get(name);
  }

  /** @throws ProtocolError -32602 for an unknown cursor. */
  page(cursor: string | undefined, codec: Codec): JsonObject {
    return this.#list.page(cursor, codec);
  }
}

function assertArguments({ name, arguments: args = [] }: PromptDefinition): void {
  const names = new Set(args.map((argument) => argument.name));
  if (names.size < args.length || names.has(''))
    throw new Error(
      `The arguments of the prompt ${name} must have unique names that are not empty`,
    );
}

function publish({ handler: _handler, arguments: args, ...prompt }: PromptDefinition): Prompt {
  return args === undefined
    ? prompt
    : { ...prompt, arguments: args.map(({ complete: _complete, ...argument }) => argument) };
}
