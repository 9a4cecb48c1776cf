import type { JsonObject } from '../../jsonrpc/messages.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import type { Prompt } from '../../protocol/prompts.ts';
import type { Resource, ResourceTemplate } from '../../protocol/resources.ts';
import type { Task } from '../../protocol/tasks.ts';
import type { Tool } from '../../protocol/tools.ts';
import { type CacheHints, cacheHintsOf } from '../caching/cache-hints.ts';
import type { RequestOptions } from '../client-options.ts';
import { collectPages, readPages } from './pagination.ts';

/** A page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** Cursor of the next page, absent on the last page. Pass it as `cursor` to continue later, also on another connection, if the server allows it. */
  readonly nextCursor?: string;
  /** Time for which the page may be reused, as the server declared it. Absent before 2026-07-28. */
  readonly cacheHints?: CacheHints;
}

/** Options of a page: where it starts. */
export interface PageOptions extends RequestOptions {
  /** Cursor of the first page to read, from `ListPage.nextCursor`. Default: the beginning of the list. */
  readonly cursor?: string | undefined;
}

/**
 * The lists of a server, page by page. A page is requested when it is read: leaving a `for await` loop requests no more. A server without the capability has no
 * pages. Reading rejects with `invalid-response` when the server repeats a cursor, or sends more than 10,000 pages or cursors of more than 4 Mi characters together. The options apply to the request of each page.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */
export interface ListPages {
  /** As `listTools`, leaves out unusable tools, and remembers the parameter headers and output schemas of the others. */
  tools(options?: PageOptions): AsyncIterableIterator<ListPage<Tool>, undefined>;
  /** Iterates over the pages of prompts. */
  prompts(options?: PageOptions): AsyncIterableIterator<ListPage<Prompt>, undefined>;
  /** Iterates over the pages of resources. */
  resources(options?: PageOptions): AsyncIterableIterator<ListPage<Resource>, undefined>;
  /** Iterates over the pages of resource templates. */
  resourceTemplates(
    options?: PageOptions,
  ): AsyncIterableIterator<ListPage<ResourceTemplate>, undefined>;
  /** Iterates over the pages of the client's tasks. Only servers of 2025-11-25 that know their clients list tasks. */
  tasks(options?: PageOptions): AsyncIterableIterator<ListPage<Task>, undefined>;
}

interface ListItems {
  readonly tools: Tool;
  readonly prompts: Prompt;
  readonly resources: Resource;
  readonly resourceTemplates: ResourceTemplate;
  readonly tasks: Task;
}

/** The lists, by the member of the result that holds the items. */
const LISTS = {
  tools: { method: 'tools/list', capability: 'tools' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
  resources: { method: 'resources/list', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources' },
  tasks: { method: 'tasks/list', capability: 'tasks' },
} as const satisfies {
  readonly [K in keyof ListItems]: {
    readonly method: string;
    readonly capability: keyof ServerCapabilities;
  };
};

export interface ListSource {
  readonly capabilities: () => ServerCapabilities;
  readonly request: (
    method: string,
    params: JsonObject,
    options?: RequestOptions,
  ) => Promise<JsonObject>;
}

/** Reads the lists of a server. A list whose capability the server lacks is empty, without a request. */
export class Lists {
  readonly #source: ListSource;

  constructor(source: ListSource) {
    this.#source = source;
  }

  /**
   * Returns the items of all pages. Begins again, once, when the server refuses a cursor: the page
   * that named it may have been cached, or the list may have changed.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#interaction-with-pagination
   */
  async all<K extends keyof ListItems>(
    list: K,
    options?: RequestOptions,
  ): Promise<readonly ListItems[K][]> {
    if (!this.#exists(list)) return [];
    let isAtStart = true;
    const collect = (): Promise<readonly unknown[]> =>
      collectPages(list, (params) => {
        isAtStart = params.cursor === undefined;
        return this.#source.request(LISTS[list].method, params, options);
      });
    const items = await collect().catch((error: unknown) => {
      if (isAtStart || !isInvalidParams(error)) throw error;
      return collect();
    });
    // The codec checks that each is an object.
    return items as readonly ListItems[K][];
  }

  async *pages<K extends keyof ListItems>(
    list: K,
    { cursor, ...options }: PageOptions = {},
  ): AsyncGenerator<ListPage<ListItems[K]>, undefined> {
    if (!this.#exists(list)) return;
    const pages = readPages(
      (params) => this.#source.request(LISTS[list].method, params, options),
      cursor,
    );
    for await (const page of pages) {
      const { nextCursor } = page;
      const cacheHints = cacheHintsOf(page);
      yield {
        // The codec checks that it is a list of objects.
        items: page[list] as readonly ListItems[K][],
        // Opaque: sent back as it came.
        ...(nextCursor === undefined ? {} : { nextCursor: nextCursor as string }),
        ...(cacheHints === undefined ? {} : { cacheHints }),
      };
    }
  }

  #exists(list: keyof ListItems): boolean {
    const capabilities = this.#source.capabilities();
    return list === 'tasks'
      ? capabilities.tasks?.list !== undefined
      : capabilities[LISTS[list].capability] !== undefined;
  }
}

function isInvalidParams(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === ErrorCode.invalidParams;
}
