import type {
  GetPromptResult,
  Prompt,
  PromptArgument,
  PromptMessage,
} from '../../protocol/prompts.ts';
import type { Completer } from '../completion/completer.ts';
import type { InteractiveContext } from '../requests/request-context.ts';

/** Definition of an argument of a prompt. */
export interface PromptArgumentDefinition extends PromptArgument {
  /** Suggests values while the user types. */
  readonly complete?: Completer;
}

/** The result of a handler: the text of one message of the user, messages, or a result as in the specification. */
export type PromptOutput = string | readonly PromptMessage[] | GetPromptResult;

/** Definition of a prompt: its listing and its handler. */
export interface PromptDefinition<Arguments = never> extends Omit<Prompt, 'arguments'> {
  readonly arguments?: readonly PromptArgumentDefinition[];
  /** Serves `prompts/get` when all required arguments are present; arguments are strings. A `ProtocolError` is sent to the client; any other error becomes -32603. */
  readonly handler: (
    args: Arguments,
    context: InteractiveContext,
  ) => Promise<PromptOutput> | PromptOutput;
}

/** The arguments that a handler receives; only the required ones are always present. */
export type PromptArgumentsOf<Arguments extends readonly PromptArgumentDefinition[]> = {
  readonly [
    Argument in Arguments[number] as Argument extends { readonly required: true }
      ? Argument['name']
      : never
  ]: string;
} & {
  readonly [
    Argument in Arguments[number] as Argument extends { readonly required: true }
      ? never
      : Argument['name']
  ]?: string;
};

/** Defines a prompt. Infers the handler's arguments from their definitions. */
export function definePrompt<const Arguments extends readonly PromptArgumentDefinition[]>(
  prompt: Omit<PromptDefinition<PromptArgumentsOf<Arguments>>, 'arguments'> & {
    readonly arguments?: Arguments;
  },
): PromptDefinition {
  return prompt;
}
