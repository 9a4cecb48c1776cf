import { ErrorCode, ProtocolError, ResourceNotFoundError, shorten } from '../../protocol/errors.ts';
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
} from '../../protocol/resources.ts';
import { UriTemplate } from '../../protocol/uri-template.ts';
import type { CompletionInput, CompletionOutput } from '../completion/completer.ts';
import type { InteractiveContext, RequestContext } from '../requests/request-context.ts';
import { assertPageSize, pageAfter } from '../lists/pagination.ts';
import { STATIC_CACHE_HINTS } from '../lists/published-list.ts';
import type { ResourceDefinition, ResourceOutput, ResourceTemplateDefinition } from './resource.ts';
import type { TemplateVariable } from './resource-provider.ts';

interface CompiledTemplate {
  readonly definition: ResourceTemplateDefinition;
  readonly uris: UriTemplate;
}

/** An immutable table of resources, listed sorted by URI, and of resource templates: the first that matches a URI and finds the resource serves it. */
export class ResourceTable {
  readonly #resources: ReadonlyMap<string, ResourceDefinition>;
  readonly #templates: readonly CompiledTemplate[];
  readonly #pageSize: number | undefined;
  /** The defined resources, sorted by URI. */
  readonly #fixed: readonly Resource[];

  /** @throws Error for a duplicate or invalid URI or template, and for a page size that is not a positive integer */
  constructor(
    resources: readonly ResourceDefinition[],
    templates: readonly ResourceTemplateDefinition[],
    pageSize: number | undefined,
  ) {
    assertPageSize(pageSize);
    this.#resources = indexByUri(resources);
    this.#templates = templates.map(compile);
    if (new Set(this.#templates.map(({ uris }) => uris.template)).size < templates.length)
      throw new Error('Two resource templates have the same URI template');
    this.#pageSize = pageSize;
    this.#fixed = sortedByUri(resources.map(publish));
  }

  get hasCompletions(): boolean {
    return this.#templates.some(({ definition }) => definition.complete !== undefined);
  }

  has(uri: string): boolean {
    return (
      this.#resources.has(uri) || this.#templates.some(({ uris }) => uris.match(uri) !== undefined)
    );
  }

  async list(cursor: string | undefined, context: RequestContext): Promise<ListResourcesResult> {
    const isFixed = this.#templates.every(({ definition }) => definition.list === undefined);
    const entries = isFixed ? this.#fixed : await this.#withListed(context);
    const page = pageAfter(cursor, { entries, keyOf: ({ uri }) => uri, pageSize: this.#pageSize });
    return { resources: page.entries, ...nextOf(page), ...(isFixed ? STATIC_CACHE_HINTS : {}) };
  }

  listTemplates(cursor: string | undefined): ListResourceTemplatesResult {
    const entries = this.#templates.map(
      ({ definition: { read: _read, list: _list, complete: _complete, ...template } }) => template,
    );
    const sorted = entries.toSorted((a, b) => (a.uriTemplate < b.uriTemplate ? -1 : 1));
    const page = pageAfter(cursor, {
      entries: sorted,
      keyOf: ({ uriTemplate }) => uriTemplate,
      pageSize: this.#pageSize,
    });
    return { resourceTemplates: page.entries, ...nextOf(page), ...STATIC_CACHE_HINTS };
  }

  async read(uri: string, context: InteractiveContext): Promise<ReadResourceResult> {
    const resource = this.#resources.get(uri);
    if (resource !== undefined) return toResult(await resource.read(context), resource, uri);
    for (const { definition, uris } of this.#templates) {
      const variables = uris.match(uri);
      if (variables === undefined) continue;
      // The definition's own template made the variables.
      const result = await orNotFound(
        async () =>
          toResult(await definition.read(variables as never, uri, context), definition, uri),
        uri,
      );
      if (result !== undefined) return result;
    }
    throw new ResourceNotFoundError(uri);
  }

  complete(
    { uriTemplate, name, value }: TemplateVariable,
    input: CompletionInput,
  ): Promise<CompletionOutput> | CompletionOutput {
    const template = this.#templates.find(({ uris }) => uris.template === uriTemplate);
    if (template === undefined) throw invalid(`unknown resource template ${shorten(uriTemplate)}`);
    if (!template.uris.variables.includes(name))
      throw invalid(`the resource template ${uriTemplate} has no variable ${shorten(name)}`);
    const { complete = {} } = template.definition;
    return (Object.hasOwn(complete, name) ? complete[name]?.(value, input) : undefined) ?? [];
  }

  /** Merges the lists of the templates with the defined resources, which take precedence. */
  async #withListed(context: RequestContext): Promise<readonly Resource[]> {
    const listed = await Promise.all(
      this.#templates.map(async ({ definition }) => definition.list?.(context) ?? []),
    );
    return sortedByUri([
      ...new Map(
        [...listed.flat(), ...this.#fixed].map((resource) => [resource.uri, resource]),
      ).values(),
    ]);
  }
}

function indexByUri(
  resources: readonly ResourceDefinition[],
): ReadonlyMap<string, ResourceDefinition> {
  const index = new Map<string, ResourceDefinition>();
  for (const resource of resources) {
    if (!/^[a-z][a-z\d+.-]*:/iu.test(resource.uri))
      throw new Error(`${JSON.stringify(resource.uri)} is not a URI with a scheme`);
    if (index.has(resource.uri)) throw new Error(`Two resources have the URI ${resource.uri}`);
    index.set(resource.uri, resource);
  }
  return index;
}

function compile(definition: ResourceTemplateDefinition): CompiledTemplate {
  const uris = new UriTemplate(definition.uriTemplate);
  const unknown = Object.keys(definition.complete ?? {}).find(
    (name) => !uris.variables.includes(name),
  );
  if (unknown !== undefined)
    throw new Error(`The URI template ${definition.uriTemplate} has no variable ${unknown}`);
  return { definition, uris };
}

function publish({ read: _read, ...resource }: ResourceDefinition): Resource {
  return resource;
}

function sortedByUri(resources: readonly Resource[]): readonly Resource[] {
  return resources.toSorted((a, b) => (a.uri < b.uri ? -1 : 1));
}

function nextOf({ nextCursor }: { readonly nextCursor?: string }): {
  readonly nextCursor?: string;
} {
  return nextCursor === undefined ? {} : { nextCursor };
}

function toResult(
  output: ResourceOutput,
  { mimeType }: { readonly mimeType?: string },
  uri: string,
): ReadResourceResult {
  const described = { uri, ...(mimeType === undefined ? {} : { mimeType }) };
  if (typeof output === 'string') return { contents: [{ ...described, text: output }] };
  if (output instanceof Uint8Array) {
    const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
    return { contents: [{ ...described, blob: bytes.toString('base64') }] };
  }
  return 'contents' in output ? output : { contents: output };
}

/** Returns `undefined` when this resource is not found; rejects when another resource is not found. */
async function orNotFound<T>(read: () => Promise<T>, uri: string): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ResourceNotFoundError && error.uri === uri) return undefined;
    throw error;
  }
}

function invalid(detail: string): ProtocolError {
  return new ProtocolError(ErrorCode.invalidParams, `Invalid params: ${detail}`);
}
