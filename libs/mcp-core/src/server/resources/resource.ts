import type { ResourceContents } from '../../protocol/content.ts';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../protocol/resources.ts';
import type { Completer } from '../completion/completer.ts';
import type { InteractiveContext, RequestContext } from '../requests/request-context.ts';

/** The contents of a resource: text, bytes, several parts, or a result as in the specification, for cache hints. */
export type ResourceOutput = string | Uint8Array | readonly ResourceContents[] | ReadResourceResult;

/** Definition of a resource with a fixed URI: its listing, and the function that reads it. */
export interface ResourceDefinition extends Resource {
  /** Reads the resource. @throws ResourceNotFoundError when it no longer exists */
  readonly read: (context: InteractiveContext) => Promise<ResourceOutput> | ResourceOutput;
}

/** Definition of a resource template: its listing, and the function that reads a resource that fits it. */
export interface ResourceTemplateDefinition<Variables = never> extends ResourceTemplate {
  /** Reads a resource. The variables are decoded: validate them before using them in a path. @throws ResourceNotFoundError for unknown values */
  readonly read: (
    variables: Variables,
    uri: string,
    context: InteractiveContext,
  ) => Promise<ResourceOutput> | ResourceOutput;
  /** Lists the resources of the template for `resources/list`. Default: none. */
  readonly list?: (context: RequestContext) => Promise<readonly Resource[]> | readonly Resource[];
  /** Completers by variable name. */
  readonly complete?: { readonly [variable: string]: Completer | undefined };
}

type NamesIn<List extends string> = List extends `${infer Name},${infer Rest}`
  ? Name | NamesIn<Rest>
  : List;

type VariablesIn<Expression extends string> = Expression extends `${'?' | '&'}${infer List}`
  ? { readonly [Name in NamesIn<List>]?: string }
  : Expression extends `${'+' | '#' | '.' | '/'}${infer List}`
    ? { readonly [Name in NamesIn<List>]: string }
    : { readonly [Name in NamesIn<Expression>]: string };

/** The variables of a literal URI template; variables of a query are optional. */
export type TemplateVariables<Template extends string> = string extends Template
  ? { readonly [name: string]: string }
  : Template extends `${string}{${infer Expression}}${infer Rest}`
    ? VariablesIn<Expression> & TemplateVariables<Rest>
    : unknown;

/** Defines a resource with a fixed URI. */
export function defineResource(resource: ResourceDefinition): ResourceDefinition {
  return resource;
}

/** Defines a resource template. Infers the variables from the URI template. */
export function defineResourceTemplate<const Template extends string>(
  template: Omit<
    ResourceTemplateDefinition<TemplateVariables<Template>>,
    'uriTemplate' | 'complete'
  > & {
    readonly uriTemplate: Template;
    readonly complete?: { readonly [Name in keyof TemplateVariables<Template>]?: Completer };
  },
): ResourceTemplateDefinition {
  return template;
}
