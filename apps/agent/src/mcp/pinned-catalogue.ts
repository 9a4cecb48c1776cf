import type { JsonObject } from '@signalbox/mcp-core';
import type { ServerConfig } from '../config/config.ts';
import type { Logger } from '../ports/logger.ts';
import type { Clock } from '../ports/clock.ts';
import type { ToolPin, ToolPins } from '../ports/tool-pins.ts';
import { messageOf } from '../text/error-text.ts';
import type { Catalogue, CatalogueEntry } from './catalogue.ts';
import { changedParts } from './definition-parts.ts';

export interface PinDependencies {
  readonly pins: ToolPins;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Maximum number of pins of one server ever, so that a server with endless new names cannot fill
 * the disk.
 */
const MAX_PINS = 10_000;
/** Characters of a definition, as JSON, that is stored with its pin. */
const MAX_STORED_DEFINITION = 64 * 1024;

/**
 * Compares a server's tools with the pins and pins new tools. A tool with a changed definition is
 * quarantined, or pinned again if the server is trusted. A server with 10,000 pinned tools gets no
 * new ones. Rejects if the pins cannot be read, since nothing may be offered then.
 */
export async function pinCatalogue(
  server: ServerConfig,
  catalogue: Catalogue,
  { pins, clock, logger }: PinDependencies,
): Promise<Catalogue> {
  const known = new Map((await pins.of(server.name)).map((pin) => [pin.tool, pin]));
  const kept: ToolPin[] = [];
  const entries = new Map<string, CatalogueEntry>();
  const left = MAX_PINS - known.size;
  let newTools = 0;
  for (const [wireName, { changed: _, ...entry }] of catalogue.entries) {
    const { tool, parts } = entry;
    const definition = storedDefinition(entry.definition);
    const pin = known.get(tool.name);
    const changed = pin === undefined ? [] : changedParts(pin.parts, parts);
    if (pin === undefined && ++newTools > left) continue;
    if (pin === undefined)
      kept.push(pinOf(entry, { firstSeenAt: clock.now(), acceptedAt: undefined }));
    else if (changed.length > 0 && server.trust) {
      logger.warn('a trusted server changed a tool; the new definition is accepted', {
        server: server.name,
        tool: tool.name,
        changed,
      });
      kept.push(pinOf(entry, { firstSeenAt: pin.firstSeenAt, acceptedAt: clock.now() }));
    } else if (changed.length === 0 && pin.definition === undefined && definition !== undefined)
      kept.push({ ...pin, definition });
    const isQuarantined = changed.length > 0 && !server.trust;
    entries.set(wireName, { ...entry, ...(isQuarantined ? { changed } : {}) });
  }
  const quarantined = [...entries.values()]
    .filter(({ changed }) => changed !== undefined)
    .map((entry) => quarantineReason(entry));
  const surplus =
    newTools > left
      ? [`${newTools - left} new tools are not offered: the server has had ${MAX_PINS} others`]
      : [];
  return {
    entries,
    warnings: [...catalogue.warnings, ...surplus, ...quarantined, ...(await keep(pins, kept))],
  };
}

/** Returns the pin of an offered tool. */
export function pinOf(
  { tool, parts, definition }: Pick<CatalogueEntry, 'tool' | 'parts' | 'definition'>,
  times: Pick<ToolPin, 'firstSeenAt' | 'acceptedAt'>,
): ToolPin {
  return {
    server: tool.server,
    tool: tool.name,
    parts,
    definition: storedDefinition(definition),
    ...times,
  };
}

function storedDefinition(definition: JsonObject): JsonObject | undefined {
  return JSON.stringify(definition).length <= MAX_STORED_DEFINITION ? definition : undefined;
}

/**
 * Returns the reason why a quarantined tool may not be used and how to approve it, for people and
 * models.
 */
export function quarantineReason({ tool, changed = [] }: CatalogueEntry): string {
  const name = tool.name.slice(0, 100);
  const command = `signalbox tools approve ${tool.server} ${/^[\w./-]+$/.test(name) ? name : JSON.stringify(name)}`;
  return `the tool ${JSON.stringify(name)} is quarantined: its ${changed.join(', ')} changed since it was first seen; it can be called when a person has looked at it and approved it (${command})`;
}

/** Stores pins. A full disk does not make tools unusable; the next read pins them. */
async function keep(pins: ToolPins, kept: readonly ToolPin[]): Promise<readonly string[]> {
  try {
    await pins.keep(kept);
    return [];
  } catch (error) {
    return [`the definitions of ${kept.length} tools could not be pinned: ${messageOf(error)}`];
  }
}
