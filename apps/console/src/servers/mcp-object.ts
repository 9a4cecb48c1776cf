import type { McpObject } from './server-queries.ts';

/** Returns a member of an object from a server if it is a text. */
export function textIn(object: McpObject, member: string): string | undefined {
  const value = object[member];
  return typeof value === 'string' ? value : undefined;
}

/** An argument of a prompt. */
export interface PromptArgument {
  readonly name: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
}

/** Returns the arguments of a prompt, without those that are malformed. */
export function promptArguments(prompt: McpObject): readonly PromptArgument[] {
  const list = prompt['arguments'];
  if (!Array.isArray(list)) return [];
  return list.flatMap((argument: unknown) => {
    if (typeof argument !== 'object' || argument === null) return [];
    const object = argument as McpObject;
    const name = textIn(object, 'name');
    if (name === undefined) return [];
    const description = textIn(object, 'description');
    return [{ name, description, isRequired: object['required'] === true }];
  });
}
