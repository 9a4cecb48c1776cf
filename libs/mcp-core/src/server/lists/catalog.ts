import { SchemaValidator } from '../../schema/schema-validator.ts';
import type { ChangeHub } from '../subscriptions/change-hub.ts';
import type { ServerOptions } from '../server.ts';
import type { PromptDefinition } from '../prompts/prompt.ts';
import { PromptTable } from '../prompts/prompt-table.ts';
import type { ToolDefinition } from '../tools/tool.ts';
import { DefinedResources } from '../resources/defined-resources.ts';
import type { ResourceDefinition, ResourceTemplateDefinition } from '../resources/resource.ts';
import type { ResourceProvider } from '../resources/resource-provider.ts';
import { ToolTable } from '../tools/tool-table.ts';

/** The current tools, prompts and resources of a server. Replacing them replaces the whole table: running calls keep their definition. */
export class Catalog {
  readonly #options: ServerOptions;
  readonly #changes: ChangeHub;
  readonly #validator = new SchemaValidator();
  /** Whether a prompt has a completer, or the server starts with an empty list, to which prompts with completers may be added. */
  readonly #hasPromptCompletions: boolean;
  readonly #defined: DefinedResources | undefined;
  #tools: ToolTable | undefined;
  #prompts: PromptTable | undefined;

  /** @throws Error for definitions that cannot be published. */
  constructor(options: ServerOptions, changes: ChangeHub) {
    this.#options = options;
    this.#changes = changes;
    this.#tools = options.tools && this.#tableOfTools(options.tools);
    this.#prompts = options.prompts && this.#tableOfPrompts(options.prompts);
    this.#defined = definedResourcesOf(options);
    this.#hasPromptCompletions =
      this.#prompts?.hasCompletions === true || options.prompts?.length === 0;
  }

  /** `undefined` for a server that was created without tools. */
  get tools(): ToolTable | undefined {
    return this.#tools;
  }

  /** `undefined` for a server that was created without prompts. */
  get prompts(): PromptTable | undefined {
    return this.#prompts;
  }

  /** `undefined` for a server that was created without resources and templates. */
  get resources(): ResourceProvider | undefined {
    return this.#defined?.provider ?? providerOf(this.#options);
  }

  get hasCompletions(): boolean {
    const hasTemplateCompletions =
      this.#defined?.hasCompletions ?? providerOf(this.#options)?.complete !== undefined;
    return this.#hasPromptCompletions || hasTemplateCompletions;
  }

  /** Replaces the definitions and publishes the change. @throws Error, without any change, when the definitions are invalid */
  setTools(definitions: readonly ToolDefinition[]): void {
    if (this.#tools === undefined)
      throw new Error(
        'This server declared no tools: create it with `tools: []` to set tools later',
      );
    this.#tools = this.#tableOfTools(definitions);
    this.#changes.toolsChanged();
  }

  /** Replaces the definitions and publishes the change. @throws Error, without any change, when the definitions are invalid */
  setPrompts(definitions: readonly PromptDefinition[]): void {
    if (this.#prompts === undefined)
      throw new Error(
        'This server declared no prompts: create it with `prompts: []` to set prompts later',
      );
    const prompts = this.#tableOfPrompts(definitions);
    if (prompts.hasCompletions && !this.hasCompletions)
      throw new Error(
        'This server declared no completions: create it with `prompts: []` or a prompt with a completer to set prompts with completers later',
      );
    this.#prompts = prompts;
    this.#changes.promptsChanged();
  }

  /** Replaces the definitions and publishes the change. @throws Error, without any change, when the definitions are invalid */
  setResources(definitions: readonly ResourceDefinition[]): void {
    this.#replaceable().setResources(definitions);
    this.#changes.resourcesChanged();
  }

  /** Replaces the definitions and publishes the change. @throws Error, without any change, when the definitions are invalid */
  setTemplates(definitions: readonly ResourceTemplateDefinition[]): void {
    this.#replaceable().setTemplates(definitions, { allowsCompleters: this.hasCompletions });
    this.#changes.resourcesChanged();
  }

  #replaceable(): DefinedResources {
    if (this.#defined === undefined)
      throw new Error(
        this.resources === undefined
          ? 'This server declared no resources: create it with `resources: []` or `templates: []` to set them later'
          : 'The resources of this server come from a provider: publish their changes with `changes.resourcesChanged()`',
      );
    return this.#defined;
  }

  #tableOfTools(definitions: readonly ToolDefinition[]): ToolTable {
    const { info, settings: { lists: { pageSize } = {} } = {} } = this.#options;
    return new ToolTable(definitions, { info, validator: this.#validator, pageSize });
  }

  #tableOfPrompts(definitions: readonly PromptDefinition[]): PromptTable {
    const { info, settings: { lists: { pageSize } = {} } = {} } = this.#options;
    return new PromptTable(definitions, { info, pageSize });
  }
}

function providerOf({ resources }: ServerOptions): ResourceProvider | undefined {
  return resources !== undefined && 'read' in resources ? resources : undefined;
}

/** @throws Error for templates and subscriptions beside a provider, and for invalid definitions */
function definedResourcesOf(options: ServerOptions): DefinedResources | undefined {
  const {
    resources,
    templates,
    settings: { resourceSubscriptions: subscriptions, lists = {} } = {},
  } = options;
  if (resources !== undefined && 'read' in resources) {
    if (templates === undefined && subscriptions === undefined) return undefined;
    throw new Error(
      'A provider of resources serves its own templates and subscriptions: pass `resources` as a list to use `templates` and `settings.resourceSubscriptions`',
    );
  }
  if (resources === undefined && templates === undefined) return undefined;
  return new DefinedResources({ resources, templates, subscriptions, pageSize: lists.pageSize });
}
