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

/** The cards of the models that may be used: the configured one first, then those that the configuration names, in its order. */
export function modelCards(config: LlmConfig, model: string): readonly ModelCard[] {
  const ids = [...new Set([model, ...Object.keys(config.models ?? {})])];
  return ids.map((id) => modelCard(config, id));
}

/**
 * The card of any model, by id or alias: what the configuration says of it, else the catalogue file, else what is so for unknown models of its API. Prices of the
 * catalogue are those of the vendors' own services: at another server a name has no price.
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

/** A name that is no id may be an alias; the configuration's own come first. */
function idOf({ provider, models = {} }: LlmConfig, name: string): string {
  if (Object.hasOwn(models, name) || Object.keys(knownEntry(provider, name)).length > 0)
    return name;
  const entries = [...Object.entries(models), ...Object.entries(KNOWN[provider] ?? {})];
  return entries.find(([, { aliases }]) => aliases?.includes(name) === true)?.[0] ?? name;
}

function smaller(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.min(left, right);
}

/** Names of Azure's hosts, which have the limits of OpenAI's older API for all of its APIs. */
const AZURE_HOST =
  /\.(?:openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/;

/** Longest description of a function in OpenAI's Chat Completions API, which gateways enforce too. */
const CHAT_DESCRIPTION_CHARACTERS = 1024;

function descriptionLimit(config: LlmConfig): number | undefined {
  const isAzure = config.baseUrl !== undefined && AZURE_HOST.test(new URL(config.baseUrl).hostname);
  return (
    config.toolDescriptionCharacters ??
    (wireOf(config) === 'chat' || isAzure ? CHAT_DESCRIPTION_CHARACTERS : undefined)
  );
}

/** Dated names of a model are that model. */
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

/** A name that is not of a known family is taken for a model that does not reason. */
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
    // Compatible servers that take files on the chat API are the exception.
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
