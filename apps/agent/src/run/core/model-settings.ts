import type { LlmProviders, ModelRef } from '../../ports/llm-providers.ts';
import type { ModelCard } from '../../ports/model-card.ts';
import {
  type ModelSettings,
  type RequestedSettings,
  TOOL_CHOICES,
} from '../../ports/model-settings.ts';
import { EngineError } from '../../ports/run-engine.ts';
import { mergeFields } from './merge-fields.ts';
import { cardOf } from './run-model.ts';

/** Names of the settings in events and in the API. */
const FIELDS = {
  temperature: 'temperature',
  maxTokens: 'max_tokens',
  effort: 'effort',
  toolChoice: 'tool_choice',
} as const satisfies { readonly [Name in keyof Required<ModelSettings>]: string };

// The keys are those of an object literal.
const NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

/** Some settings, by their names in the API. */
export type ModelSettingsData = {
  [Name in keyof typeof FIELDS as (typeof FIELDS)[Name]]?: NonNullable<ModelSettings[Name]>;
};

type RequestedData = {
  readonly [Field in keyof ModelSettingsData]?: ModelSettingsData[Field] | null | undefined;
};

/** Returns the settings of a request. */
export function requestedSettings(data: RequestedData): RequestedSettings {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = data[FIELDS[name]];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Returns settings by their names in the API. */
export function modelSettingsData(settings: ModelSettings = {}): ModelSettingsData {
  return Object.fromEntries(
    NAMES.flatMap((name) => (settings[name] === undefined ? [] : [[FIELDS[name], settings[name]]])),
  );
}

/** Merges settings field by field; later ones take precedence, and null removes a setting. */
export function mergeSettings(
  ...layers: readonly (RequestedSettings | undefined)[]
): ModelSettings | undefined {
  return mergeFields<ModelSettings>(layers);
}

/** Returns the tool choices that the model accepts. */
export function acceptedToolChoices({
  takes,
}: Pick<ModelCard, 'takes'>): readonly NonNullable<ModelSettings['toolChoice']>[] {
  if (!takes.tools) return ['none'];
  return TOOL_CHOICES.filter((choice) => choice !== 'required' || takes.requiredTools);
}

/**
 * Checks that the model supports the settings.
 * @throws EngineError `unsupported_setting` with each unsupported setting
 */
export function refuseUnsupportedSettings(
  llm: LlmProviders,
  ref: ModelRef,
  settings: ModelSettings | undefined = {},
): void {
  const card = cardOf(llm, ref);
  const name = `${ref.provider}/${ref.model}`;
  const problems = NAMES.flatMap((setting) => {
    if (settings[setting] === undefined) return [];
    const problem =
      card === undefined
        ? `the provider ${ref.provider} supports no model settings`
        : settingProblem(card, name, { [setting]: settings[setting] });
    return problem === undefined ? [] : [{ path: `/${FIELDS[setting]}`, message: problem }];
  });
  if (problems.length === 0) return;
  throw new EngineError(
    'unsupported_setting',
    `${problems.map(({ path, message }) => `${path.slice(1)}: ${message}`).join('; ')}.`,
    problems,
  );
}

/** Returns the problem of the setting that is present. */
function settingProblem(
  { takes, maxOutputTokens, assumed, ...card }: ModelCard,
  name: string,
  { temperature, maxTokens, effort, toolChoice }: ModelSettings,
): string | undefined {
  if (temperature !== undefined && !takes.temperature)
    return `the model ${name} takes no temperature; leave it out`;
  if (temperature !== undefined && temperature > takes.maxTemperature)
    return `the model ${name} takes a temperature of at most ${takes.maxTemperature}`;
  if (
    maxTokens !== undefined &&
    maxTokens > maxOutputTokens &&
    !assumed.includes('maxOutputTokens')
  )
    return `the model ${name} writes at most ${maxOutputTokens} tokens in one message`;
  if (effort !== undefined && !takes.efforts.includes(effort))
    return takes.efforts.length === 0
      ? `the model ${name} takes no effort; leave it out`
      : `the model ${name} takes the effort ${takes.efforts.join(', ')}`;
  const choices = acceptedToolChoices({ ...card, takes });
  if (toolChoice !== undefined && !choices.includes(toolChoice))
    return `the model ${name} takes the tool choice ${choices.join(', ')}`;
  return undefined;
}
