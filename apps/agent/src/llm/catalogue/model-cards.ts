import * as z from 'zod';
import type { LlmConfig } from '../../config/config.ts';
import type { ModelCard, ModelFeatures, ModelPrice } from '../../ports/model-card.ts';
import { isVendorAddress, type Wire, wireOf } from '../wire.ts';
import { type CardEntry, cardSchema } from './card-schema.ts';
import catalogue from './model-catalogue.json' with { type: 'json' };

const catalogueSchema = z.object({
  openai: z.record(z.string(), cardSchema),
  anthropic: z.record(z.string(), cardSchema),
});

const { openai, anthropic } = catalogueSchema.parse(catalogue);
const KNOWN: { readonly [provider: string]: { readonly [id: string]: CardEntry } } = {
  openai,
  anthropic,
};

/**
 * Returns the cards of the configured model and of the models that the configuration names, in this
 * order.
 */
export function modelCards(config: LlmConfig, model: string): readonly ModelCard[] {
  const ids = [...new Set([model, ...Object.keys(config.models ?? {})])];
  return ids.map((id) => modelCard(config, id));
}

/**
 * Returns the card of a model, by id or alias, from the configuration, the catalogue file, or the
 * defaults of its API. Catalogue prices apply only to the vendors' own services.
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
  return {
    id,
    aliases: entry.aliases ?? [],
    tier: entry.tier,
    contextTokens: entry.context_tokens,
    maxOutputTokens:
      own.max_output_tokens ?? smaller(config.maxOutputTokens, known.max_output_tokens),
    price: entry.price === undefined ? undefined : priceOf(entry.price),
    speed: entry.speed,
    intelligence: entry.intelligence,
    reasons,
    takes: {
      ...featuresOf(entry, { wire: wireOf(config), id, reasons, isVendor }),
      descriptionCharacters: descriptionLimit(config),
    },
  };
}

/** Returns the model id of an alias; aliases of the configuration come first. */
function idOf({ provider, models = {} }: LlmConfig, name: string): string {
  if (Object.hasOwn(models, name) || Object.keys(knownEntry(provider, name)).length > 0)
    return name;
  const entries = [...Object.entries(models), ...Object.entries(KNOWN[provider] ?? {})];
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

/** Returns the catalogue entry of a model; a dated id belongs to the undated model. */
function knownEntry(provider: string, id: string): CardEntry {
  const cards = KNOWN[provider] ?? {};
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
