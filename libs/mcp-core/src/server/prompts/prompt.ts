import type { GetPromptResult, Prompt, PromptArgument } from '../../protocol/prompts.ts';
import type { Completer } from '../completion.ts';
import type { InteractiveContext } from '../requests/request-context.ts';

export interface PromptArgumentDefinition extends PromptArgument {
  /** Suggests values while a person types. */
  readonly complete?: Completer;
}

export interface PromptDefinition<Arguments = never> extends Omit<Prompt, 'arguments'> {
  readonly arguments?: readonly PromptArgumentDefinition[];
  /** Runs for each `prompts/get` whose required arguments are there; all arguments are texts. A `ProtocolError` is told, any other throw is -32603. */
  readonly handler: (
    args: Arguments,
    context: InteractiveContext,
  ) => Promise<GetPromptResult> | GetPromptResult;
}

type NameOf<
  Argument extends PromptArgumentDefinition,
  Required extends boolean,
> = Argument extends { readonly required: true }
  ? Required extends true
    ? Argument['name']
    : never
  : Required extends true
    ? never
    : Argument['name'];

/** The required arguments, and perhaps the others. */
export type PromptArgumentsOf<Arguments extends readonly PromptArgumentDefinition[]> = {
  readonly [Argument in Arguments[number] as NameOf<Argument, true>]: string;
} & { readonly [Argument in Arguments[number] as NameOf<Argument, false>]?: string };

/** Types the handler's arguments from their definitions. */
export function definePrompt<const Arguments extends readonly PromptArgumentDefinition[]>(
  prompt: Omit<PromptDefinition<PromptArgumentsOf<Arguments>>, 'arguments'> & {
    readonly arguments?: Arguments;
  },
): PromptDefinition {
  return prompt;
}
