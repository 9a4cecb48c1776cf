import { SchemaValidator } from '../../schema/schema-validator.ts';
import type { ChangeHub, ServerOptions } from '../server.ts';
import type { PromptDefinition } from '../prompts/prompt.ts';
import { PromptTable } from '../prompts/prompt-table.ts';
import type { ToolDefinition } from '../tools/tool.ts';
import { ToolTable } from '../tools/tool-table.ts';

/** The tools and prompts a server has at the moment. A table is replaced whole: what runs keeps the definition it started with. */
export class Catalog {
  readonly #options: ServerOptions;
  readonly #changes: ChangeHub;
  readonly #validator = new SchemaValidator();
  /** Who starts without prompts cannot know whether those to come have completers. */
  readonly #hasPromptCompletions: boolean;
  #tools: ToolTable | undefined;
  #prompts: PromptTable | undefined;

  /** @throws Error for definitions that cannot be published. */
  constructor(options: ServerOptions, changes: ChangeHub) {
    this.#options = options;
    this.#changes = changes;
    this.#tools = options.tools && this.#tableOfTools(options.tools);
    this.#prompts = options.prompts && this.#tableOfPrompts(options.prompts);
    this.#hasPromptCompletions =
      this.#prompts?.hasCompletions === true || options.prompts?.length === 0;
  }

  /** `undefined` for a server that was made without tools. */
  get tools(): ToolTable | undefined {
    return this.#tools;
  }

  /** `undefined` for a server that was made without prompts. */
  get prompts(): PromptTable | undefined {
    return this.#prompts;
  }

  get hasCompletions(): boolean {
    return this.#hasPromptCompletions || this.#options.resources?.complete !== undefined;
  }

  /** Publishes the change. @throws Error, and changes nothing, when the definitions cannot be published. */
  setTools(definitions: readonly ToolDefinition[]): void {
    if (this.#tools === undefined)
      throw new Error(
        'This server was made without tools, and has told its clients so; make it with an empty list',
      );
    this.#tools = this.#tableOfTools(definitions);
    this.#changes.toolsChanged();
  }

  /** Publishes the change. @throws Error, and changes nothing, when the definitions cannot be published. */
  setPrompts(definitions: readonly PromptDefinition[]): void {
    if (this.#prompts === undefined)
      throw new Error(
        'This server was made without prompts, and has told its clients so; make it with an empty list',
      );
    const prompts = this.#tableOfPrompts(definitions);
    if (prompts.hasCompletions && !this.hasCompletions)
      throw new Error(
        'This server was made with prompts of which none has a completer, and has told its clients so; make it with one that has, or with an empty list',
      );
    this.#prompts = prompts;
    this.#changes.promptsChanged();
  }

  #tableOfTools(definitions: readonly ToolDefinition[]): ToolTable {
    const { info, pageSize } = this.#options;
    return new ToolTable(definitions, { info, validator: this.#validator, pageSize });
  }

  #tableOfPrompts(definitions: readonly PromptDefinition[]): PromptTable {
    const { info, pageSize } = this.#options;
    return new PromptTable(definitions, { info, pageSize });
  }
}
