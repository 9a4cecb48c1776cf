import type OpenAI from 'openai';
import type { Block, LlmRequest, Message } from '../../ports/llm-provider.ts';
import type { Effort } from '../../ports/model-settings.ts';
import type { ModelCard, ModelFeatures } from '../../ports/model-card.ts';
import { type Part, partsOf, resultParts } from '../content-parts.ts';
import { type Endpoint, nativeProviderOf } from '../endpoint.ts';
import { isContent, lossesIn } from '../message-losses.ts';
import { settingsFor } from '../model-settings.ts';
import { outputFormat } from '../output-schema.ts';
import { fitTools } from '../tool-schema.ts';
import { resultCallIds, wireCallId } from '../wire-call-id.ts';
import { charactersIn } from '../../usage/estimate-tokens.ts';

type Params = OpenAI.Responses.ResponseCreateParamsStreaming;
type InputItem = OpenAI.Responses.ResponseInputItem;
type InputContent =
  | OpenAI.Responses.ResponseInputText
  | OpenAI.Responses.ResponseInputImage
  | OpenAI.Responses.ResponseInputFile;

export interface BuiltRequest {
  readonly params: Params;
  readonly warnings: readonly string[];
  /**
   * Maximum characters of the answer, if fewer tokens are wanted than the API allows to request.
   */
  readonly maxCharacters: number | undefined;
}

/** Minimum output tokens that the API accepts. */
const MIN_OUTPUT_TOKENS = 16;

/** Builds the request body. @see https://platform.openai.com/docs/api-reference/responses/create */
export function buildRequest(
  request: LlmRequest,
  card: ModelCard,
  endpoint: Endpoint,
): BuiltRequest {
  const { id: model, reasons, takes } = card;
  const { tools, warnings: toolWarnings } = fitTools(request.tools, {
    descriptionCharacters: takes.descriptionCharacters,
  });
  const isFirstTurn = request.messages.every(({ role }) => role === 'user');
  const warnings = isFirstTurn ? [...toolWarnings] : [];
  const { settings, warnings: settingWarnings } = settingsFor(request, card);
  warnings.push(...settingWarnings);
  const isTiny = request.maxTokens < MIN_OUTPUT_TOKENS;
  if (isTiny)
    warnings.push(
      `${MIN_OUTPUT_TOKENS} tokens are the minimum of the API; the answer is truncated after about ${request.maxTokens}.`,
    );
  warnings.push(...lossesIn(request.messages, takes));
  const params: Params = {
    model,
    input: inputOf(request.messages, { provider: nativeProviderOf(endpoint), card }),
    max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, request.maxTokens),
    store: false,
    stream: true,
    ...(request.system === undefined || request.system === ''
      ? {}
      : { instructions: request.system }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(
            ({ name, description, inputSchema }) =>
              ({
                type: 'function',
                name,
                description,
                parameters: inputSchema,
                strict: false,
              }) as const,
          ),
        }),
    ...(tools.length === 0 || request.toolChoice === undefined
      ? {}
      : { tool_choice: request.toolChoice }),
    ...(reasons || settings.effort !== undefined ? reasoningFor(request, settings.effort) : {}),
    ...(endpoint.isVendor ? textFormatOf(request) : {}),
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(request.cacheKey === undefined ? {} : { prompt_cache_key: request.cacheKey.slice(0, 64) }),
    ...(endpoint.isVendor ? { stream_options: { include_obfuscation: false } } : {}),
  };
  return {
    params,
    warnings,
    maxCharacters: isTiny ? charactersIn(request.maxTokens) : undefined,
  };
}

/**
 * Only OpenAI's own models get the field: compatible servers may reject it, or never call a tool
 * with it.
 */
function textFormatOf({ outputSchema }: LlmRequest): Pick<Params, 'text'> {
  const format = outputSchema === undefined ? undefined : outputFormat(outputSchema);
  return format === undefined
    ? {}
    : {
        text: {
          format: {
            type: 'json_schema',
            name: 'answer',
            schema: format.schema,
            strict: format.isStrict,
          },
        },
      };
}

/** Reduces thinking for sampling, whose few tokens it would use up. */
function reasoningFor(
  { purpose }: LlmRequest,
  effort: Effort | undefined = purpose === 'sampling' ? 'low' : undefined,
): Pick<Params, 'reasoning' | 'include'> {
  return {
    reasoning: { ...(effort === undefined ? {} : { effort }), summary: 'auto' },
    include: ['reasoning.encrypted_content'],
  };
}

function inputOf(
  messages: readonly Message[],
  target: { readonly provider: string; readonly card: ModelCard },
): InputItem[] {
  const nativeItems = ({ native }: Message): readonly InputItem[] | undefined =>
    native?.provider === target.provider && native.model === target.card.id
      ? (native.items as readonly InputItem[])
      : undefined; // stored from this provider's own output
  const callId = resultCallIds(messages, (message) => nativeItems(message) !== undefined);
  return messages.flatMap(
    (message) =>
      nativeItems(message) ??
      (message.role === 'assistant'
        ? assistantItems(message)
        : userItems(message, { callId, takes: target.card.takes })),
  );
}

/** Reasoning is returned in native items only. */
function assistantItems({ content }: Message): InputItem[] {
  return content.flatMap((block): InputItem[] => {
    if (block.type === 'tool_use')
      return [
        {
          type: 'function_call',
          call_id: wireCallId(block.id),
          name: block.name,
          arguments: JSON.stringify(block.input),
        },
      ];
    const text = block.type === 'refusal' || block.type === 'text' ? block.text : '';
    return text.trim() === '' ? [] : [{ role: 'assistant', content: text }];
  });
}

function userItems(
  { content }: Message,
  { callId, takes }: { readonly callId: (id: string) => string; readonly takes: ModelFeatures },
): InputItem[] {
  const outputs = content.flatMap((block): InputItem[] =>
    block.type === 'tool_result'
      ? [
          {
            type: 'function_call_output',
            call_id: callId(block.toolUseId),
            output: outputOf(block, takes),
          },
        ]
      : [],
  );
  const parts = partsOf(content.filter(isContent), takes).map(inputContent);
  return parts.length === 0 ? outputs : [...outputs, { role: 'user', content: parts }];
}

/** Marks failed results in the text, since the API has no flag for them. */
function outputOf(
  result: Extract<Block, { type: 'tool_result' }>,
  takes: ModelFeatures,
): string | InputContent[] {
  const parts = resultParts(result, takes);
  const prefix = result.isError === true ? 'ERROR: ' : '';
  if (parts.every((part) => part.type === 'text'))
    return prefix + parts.map(({ text }) => text).join('\n');
  return [
    ...(prefix === '' ? [] : [{ type: 'input_text', text: prefix } as const]),
    ...parts.map(inputContent),
  ];
}

/** The API has no audio input, so no model here accepts audio. */
function inputContent(part: Part): InputContent {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image':
      return {
        type: 'input_image',
        detail: 'auto',
        image_url: `data:${part.mimeType};base64,${part.data}`,
      };
    case 'audio':
      return { type: 'input_text', text: '[audio: left out, this API cannot carry it]' };
    case 'pdf':
      return {
        type: 'input_file',
        filename: part.filename,
        file_data: `data:application/pdf;base64,${part.data}`,
      };
  }
}
