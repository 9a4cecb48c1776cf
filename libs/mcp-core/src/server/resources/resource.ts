import type { ReadResourceResult, Resource, ResourceTemplate } from '../../protocol/resources.ts';
import type { Completer } from '../completion.ts';
import type { InteractiveContext, RequestContext } from '../requests/request-context.ts';

/** What a resource holds: text, bytes, or a whole result, for several parts or cache hints. */
export type ResourceOutput = string | Uint8Array | ReadResourceResult;

export interface ResourceDefinition extends Resource {
  /** @throws ResourceNotFoundError when it is gone. */
  readonly read: (context: InteractiveContext) => Promise<ResourceOutput> | ResourceOutput;
}

export interface ResourceTemplateDefinition<Variables = never> extends ResourceTemplate {
  /** The variables are decoded: check them before they become part of a path. @throws ResourceNotFoundError for values that name nothing. */
  readonly read: (
    variables: Variables,
    uri: string,
    context: InteractiveContext,
  ) => Promise<ResourceOutput> | ResourceOutput;
  /** The resources that exist, for `resources/list`; without it the template's resources are not listed. */
  readonly list?: (context: RequestContext) => Promise<readonly Resource[]> | readonly Resource[];
  /** Suggests values, by variable. */
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

/** The variables of a URI template written as a literal; those of a query may be absent. */
export type TemplateVariables<Template extends string> = string extends Template
  ? { readonly [name: string]: string }
  : Template extends `${string}{${infer Expression}}${infer Rest}`
    ? VariablesIn<Expression> & TemplateVariables<Rest>
    : unknown;

/** One resource with a fixed URI. */
export function defineResource(resource: ResourceDefinition): ResourceDefinition {
  return resource;
}

/** Types the variables from the template. */
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
