import { ResourceNotFoundError } from '../../protocol/errors.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { ResourceDefinition, ResourceTemplateDefinition } from './resource.ts';
import type { ResourceProvider } from './resource-provider.ts';
import { ResourceTable } from './resource-table.ts';

/**
 * Attaches a watcher for one subscriber of `uri`, before the subscription is acknowledged; the returned function detaches it. Throw to refuse. Called
 * once per subscriber and URI, so reference counting is the server's task.
 */
export type ResourceWatcher = (
  uri: string,
  context: RequestContext,
) => Promise<() => Promise<void> | void> | (() => Promise<void> | void);

export interface DefinedResourcesOptions {
  readonly resources: readonly ResourceDefinition[] | undefined;
  readonly templates: readonly ResourceTemplateDefinition[] | undefined;
  readonly subscriptions: true | ResourceWatcher | undefined;
  readonly pageSize: number | undefined;
}

/** The defined resources and resource templates of a server. Replacing them replaces the whole table. */
export class DefinedResources {
  /** Whether a template has a completer, or the server starts with an empty list, to which templates with completers may be added. */
  readonly hasCompletions: boolean;
  readonly provider: ResourceProvider;
  #resources: readonly ResourceDefinition[];
  #templates: readonly ResourceTemplateDefinition[];
  readonly #pageSize: number | undefined;
  #table: ResourceTable;

  /** @throws Error for a duplicate or invalid URI or template, and for a page size that is not a positive integer */
  constructor({ resources = [], templates, subscriptions, pageSize }: DefinedResourcesOptions) {
    this.#resources = resources;
    this.#templates = templates ?? [];
    this.#pageSize = pageSize;
    this.#table = new ResourceTable(this.#resources, this.#templates, pageSize);
    this.hasCompletions = this.#table.hasCompletions || templates?.length === 0;
    this.provider = this.#createProvider(subscriptions);
  }

  /** @throws Error, without any change, as the constructor */
  setResources(resources: readonly ResourceDefinition[]): void {
    this.#table = new ResourceTable(resources, this.#templates, this.#pageSize);
    this.#resources = resources;
  }

  /** @throws Error, without any change, as the constructor, and for a completer when `allowsCompleters` is false */
  setTemplates(
    templates: readonly ResourceTemplateDefinition[],
    { allowsCompleters }: { readonly allowsCompleters: boolean },
  ): void {
    const table = new ResourceTable(this.#resources, templates, this.#pageSize);
    if (table.hasCompletions && !allowsCompleters)
      throw new Error(
        'This server declared no completions: create it with `templates: []` or a template with a completer to set templates with completers later',
      );
    this.#table = table;
    this.#templates = templates;
  }

  #createProvider(subscriptions: true | ResourceWatcher | undefined): ResourceProvider {
    return {
      list: (cursor, context) => this.#table.list(cursor, context),
      listTemplates: (cursor) => Promise.resolve(this.#table.listTemplates(cursor)),
      read: (uri, context) => this.#table.read(uri, context),
      complete: (variable, input) => this.#table.complete(variable, input),
      ...(subscriptions === undefined
        ? {}
        : {
            subscribe: async (uri: string, context: RequestContext) => {
              if (!this.#table.has(uri)) throw new ResourceNotFoundError(uri);
              return subscriptions === true ? () => undefined : subscriptions(uri, context);
            },
          }),
    };
  }
}
