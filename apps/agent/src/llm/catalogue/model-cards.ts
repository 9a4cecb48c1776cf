import type { LlmConfig } from '../../config/config.ts';
import type { CardSource, ModelCard, ModelFeatures, ModelPrice } from '../../ports/model-card.ts';
import { isVendorAddress, type Wire, wireOf } from '../wire.ts';
import type { CardEntry } from './card-schema.ts';
import { MODEL_TABLE } from './model-table.ts';

/** Context of an unknown model: every current model of the vendors has at least this one. */
const ASSUMED_CONTEXT_TOKENS = 128_000;

/** Context of an unknown model at a compatible or local server. */
const ASSUMED_LOCAL_CONTEXT_TOKENS = 32_768;

/** Output limit of an unknown model. */
const ASSUMED_OUTPUT_TOKENS = 8192;

/**
 * Returns the cards of the configured model and of the models that the configuration names, in this
 * order.
 */
export function modelCards(config: LlmConfig, model: string): readonly ModelCard[] {
  const ids = [...new Set([model, ...Object.keys(config.models ?? {})])];
  return ids.map((id) => modelCard(config, id));
}

/**
 * Returns the cards of all models that the provider is known to offer: those of the configuration,
 * then, at the vendor's own address, those of the model table.
 */
export function listedModels(config: LlmConfig, model: string): readonly ModelCard[] {
  if (config.provider === 'scripted') return [];
  const ids = new Set([
    ...modelCards(config, model).map(({ id }) => id),
    ...(isVendorAddress(config) ? Object.keys(tableOf(config.provider)) : []),
  ]);
  return [...ids].map((id) => modelCard(config, id));
}

/**
 * Whether the provider is known to offer the model, by id or alias: as its configured model, in the
 * configuration, or, at the vendor's own address, in the model table.
 */
export function offersModel(config: LlmConfig, configured: string, name: string): boolean {
  const id = idOf(config, name);
  return (
    name === configured ||
    Object.hasOwn(config.models ?? {}, id) ||
    (isVendorAddress(config) && isKnown(config.provider, id))
  );
}

/**
 * Returns the card of a model, by id or alias, from the configuration, the model table, or the
 * defaults of its API. Prices of the table apply only to the vendors' own services.
 */
export function modelCard(config: LlmConfig, name: string): ModelCard {
  const id = idOf(config, name);
  const isVendor = isVendorAddress(config);
  const own = config.models?.[id] ?? {};
  const { price, ...known } = knownEntry(config.provider, id);
  const entry: CardEntry = {
    ...known,
    ...(isVendor && price !== undefined ? { price } : {}),
    ...own,
    takes: { ...known.takes, ...own.takes },
  };
  const reasons = entry.reasons ?? isReasoningName(config.provider, id);
  const contextTokens = entry.context_tokens;
  const maxOutputTokens =
    own.max_output_tokens ?? smaller(config.maxOutputTokens, known.max_output_tokens);
  return {
    id,
    aliases: entry.aliases ?? [],
    tier: entry.tier,
    contextTokens:
      contextTokens ?? (isVendor ? ASSUMED_CONTEXT_TOKENS : ASSUMED_LOCAL_CONTEXT_TOKENS),
    maxOutputTokens: maxOutputTokens ?? ASSUMED_OUTPUT_TOKENS,
    assumed: [
      ...(contextTokens === undefined ? (['contextTokens'] as const) : []),
      ...(maxOutputTokens === undefined ? (['maxOutputTokens'] as const) : []),
    ],
    price: entry.price === undefined ? undefined : priceOf(entry.price),
    speed: entry.speed,
    intelligence: entry.intelligence,
    reasons,
    takes: {
      ...featuresOf(entry, { wire: wireOf(config), id, reasons, isVendor }),
      descriptionCharacters: descriptionLimit(config),
    },
    source: sourceOf(config, id),
  };
}

function sourceOf(config: LlmConfig, id: string): CardSource {
  const table = MODEL_TABLE[config.provider];
  if (table !== undefined && isKnown(config.provider, id))
    return { kind: 'catalogue', url: table.source, asOf: table.asOf };
  return { kind: Object.hasOwn(config.models ?? {}, id) ? 'configuration' : 'none' };
}

/** Returns the model id of an alias; aliases of the configuration come first. */
function idOf({ provider, models = {} }: LlmConfig, name: string): string {
  if (Object.hasOwn(models, name) || isKnown(provider, name)) return name;
  const entries = [...Object.entries(models), ...Object.entries(tableOf(provider))];
  return entries.find(([, { aliases }]) => aliases?.includes(name) === true)?.[0] ?? name;
}

function smaller(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.min(left, right);
}

/** Host names of Azure, where the limits of Chat Completions apply to all of OpenAI's APIs. */
const AZURE_HOST =
  /\.(?:openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/;

/**
 * Maximum length of a function description in OpenAI's Chat Completions API, enforced by gateways
 * too.
 */
const CHAT_DESCRIPTION_CHARACTERS = 1024;

function descriptionLimit(config: LlmConfig): number | undefined {
  const isAzure = config.baseUrl !== undefined && AZURE_HOST.test(new URL(config.baseUrl).hostname);
  return (
    config.toolDescriptionCharacters ??
    (wireOf(config) === 'chat' || isAzure ? CHAT_DESCRIPTION_CHARACTERS : undefined)
  );
}

function tableOf(provider: string): { readonly [id: string]: CardEntry } {
  return MODEL_TABLE[provider]?.models ?? {};
}

/** Whether the model table has the model. */
function isKnown(provider: string, id: string): boolean {
  return Object.keys(knownEntry(provider, id)).length > 0;
}

/** Returns the entry of a model in the model table; a dated id belongs to the undated model. */
function knownEntry(provider: string, id: string): CardEntry {
  const cards = tableOf(provider);
  const undated = id.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8})$/, '');
  return (
    (Object.hasOwn(cards, id)
      ? cards[id]
      : Object.hasOwn(cards, undated)
        ? cards[undated]
        : undefined) ?? {}
  );
}

/** Whether the name belongs to a reasoning family. Unknown names do not. */
function isReasoningName(provider: string, id: string): boolean {
  if (provider === 'openai')
    return /^(?:o\d|gpt-(?:[5-9]|\d{2,})(?:\D|$))/.test(id) && !id.includes('-chat');
  const [, major, minor] = /^claude-[a-z]+-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?$/.exec(id) ?? [];
  return provider === 'anthropic' && Number(major ?? 0) + Number(minor ?? 0) / 100 >= 4.06;
}

/** Efforts that every reasoning model of the vendors accepts. */
const USUAL_EFFORTS = ['low', 'medium', 'high'] as const;

function featuresOf(
  { takes = {} }: CardEntry,
  {
    wire,
    id,
    reasons,
    isVendor,
  }: {
    readonly wire: Wire;
    readonly id: string;
    readonly reasons: boolean;
    readonly isVendor: boolean;
  },
): Omit<ModelFeatures, 'descriptionCharacters'> {
  return {
    tools: takes.tools ?? true,
    images: takes.images ?? true,
    audio: takes.audio ?? (wire === 'chat' && isVendor && /audio/.test(id)),
    // Few compatible servers accept files in the chat API.
    pdf: takes.pdf ?? (isVendor || wire !== 'chat'),
    temperature: takes.temperature ?? (wire !== 'messages' && !reasons),
    stopSequences:
      takes.stop_sequences ?? (wire === 'messages' || (wire === 'chat' && !(isVendor && reasons))),
    prefill: takes.prefill ?? false,
    requiredTools: takes.required_tools ?? true,
    maxTemperature: wire === 'messages' ? 1 : 2,
    efforts: takes.efforts ?? (reasons && (isVendor || wire !== 'messages') ? USUAL_EFFORTS : []),
  };
}

function priceOf({ above, ...prices }: NonNullable<CardEntry['price']>): ModelPrice {
  const convert = ({
    input,
    output,
    cache_read: cacheRead,
    cache_write: cacheWrite,
  }: typeof prices): Omit<ModelPrice, 'above'> => ({ input, output, cacheRead, cacheWrite });
  return {
    ...convert(prices),
    ...(above === undefined
      ? {}
      : { above: { ...convert(above), inputTokens: above.input_tokens } }),
  };
}
