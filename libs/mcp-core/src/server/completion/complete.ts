import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { Completion } from '../../protocol/completion.ts';
import { ErrorCode, ProtocolError, shorten } from '../../protocol/errors.ts';
import { HandlerContext } from '../requests/handler-context.ts';
import type { CompletionInput, CompletionOutput } from './completer.ts';
import type { PromptTable } from '../prompts/prompt-table.ts';
import { readString, readStrings } from '../requests/read-params.ts';
import type { ActiveRequest } from '../requests/active-request.ts';
import type { ResourceProvider } from '../resources/resource-provider.ts';

const MAX_VALUES = 100;

export interface CompletionSources {
  readonly prompts: PromptTable | undefined;
  readonly resources: ResourceProvider | undefined;
}

/**
 * Serves `completion/complete`. An argument without a completer has no suggestions.
 * @throws ProtocolError -32602 for a prompt, template or argument that does not exist.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 */
export async function complete(
  sources: CompletionSources,
  request: ActiveRequest,
): Promise<JsonObject> {
  const { ref, argument, context } = request.params;
  if (!isJsonObject(ref) || !isJsonObject(argument))
    throw invalid('ref and argument must be objects');
  if (context !== undefined && !isJsonObject(context)) throw invalid('context must be an object');
  const name = readString(argument, 'name', 'argument.name');
  const value = readString(argument, 'value', 'argument.value');
  const input = {
    arguments: readStrings(context?.arguments, 'context.arguments'),
    context: new HandlerContext(request),
  };
  const output = await suggest(sources, ref, { name, value, input });
  return { completion: toCompletion(output) };
}

interface CompletedArgument {
  readonly name: string;
  readonly value: string;
  readonly input: CompletionInput;
}

function suggest(
  { prompts, resources }: CompletionSources,
  ref: JsonObject,
  { name, value, input }: CompletedArgument,
): Promise<CompletionOutput> | CompletionOutput {
  switch (ref.type) {
    case 'ref/prompt': {
      const prompt = prompts?.get(readString(ref, 'name', 'ref.name'));
      if (prompt === undefined) throw invalid(`unknown prompt ${shorten(String(ref.name))}`);
      const argument = prompt.arguments?.find((candidate) => candidate.name === name);
      if (argument === undefined)
        throw invalid(`the prompt ${prompt.name} has no argument ${shorten(name)}`);
      return argument.complete?.(value, input) ?? [];
    }
    case 'ref/resource': {
      const uriTemplate = readString(ref, 'uri', 'ref.uri');
      if (resources?.complete === undefined)
        throw invalid(`unknown resource template ${shorten(uriTemplate)}`);
      return resources.complete({ uriTemplate, name, value }, input);
    }
    default:
      throw invalid('ref.type must be "ref/prompt" or "ref/resource"');
  }
}

function toCompletion(output: CompletionOutput): Completion {
  const completion: Completion =
    'values' in output && !Array.isArray(output)
      ? (output as Completion)
      : { values: output as readonly string[] };
  // The total is unknown only when the completer says that there are more values.
  const total =
    completion.total ?? (completion.hasMore === true ? undefined : completion.values.length);
  const values = completion.values.slice(0, MAX_VALUES);
  const hasMore =
    completion.hasMore === true ||
    completion.values.length > MAX_VALUES ||
    (total ?? 0) > values.length;
  return { values, ...(total === undefined ? {} : { total }), hasMore };
}

function invalid(detail: string): ProtocolError {
  return new ProtocolError(ErrorCode.invalidParams, `Invalid params: ${detail}`);
}
