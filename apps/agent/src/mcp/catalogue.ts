import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject, Tool, ToolAnnotations } from '@signalbox/mcp-core';
import type { ServerConfig } from '../config/config.ts';
import { matchesPattern } from '../text/name-patterns.ts';
import { wireName } from '../text/wire-name.ts';
import { isPlainObject } from '../json/plain-object.ts';
import type { CatalogueTool } from '../ports/tool-catalogue.ts';
import {
  compileArgumentValidator,
  UnusableSchemaError,
  type ArgumentValidator,
} from '../schema/argument-validator.ts';
import { SchemaError, type SchemaChecks } from '../schema/schema-checks.ts';
import { definitionParts, pinnedDefinition, type DefinitionParts } from './definition-parts.ts';
import { READ_RESOURCE, WATCH_RESOURCE } from './tool-names.ts';

export type ResourceTool = 'read' | 'watch';

export interface CatalogueEntry {
  readonly tool: CatalogueTool;
  /** Pinned part of the server's definition, and the digests of its parts. */
  readonly definition: JsonObject;
  readonly parts: DefinitionParts;
  /** Names of the parts that differ from the pinned definition. Absent if none do. */
  readonly changed?: readonly string[];
  readonly validate: ArgumentValidator;
  /** Set for the service's own tools for the resources of a server. */
  readonly resourceTool?: ResourceTool;
}

export interface Catalogue {
  /** Entries by wire name. */
  readonly entries: ReadonlyMap<string, CatalogueEntry>;
  /** Tools that are not offered, and patterns without a match. */
  readonly warnings: readonly string[];
}

export const EMPTY_CATALOGUE: Catalogue = { entries: new Map(), warnings: [] };

const MAX_TOOLS = 1000;
const MAX_DESCRIPTION_LENGTH = 64 * 1024;
const MAX_DEFINITION_LENGTH = 512 * 1024;
/** Maximum length of all kept definitions of one server. */
const MAX_CATALOGUE_LENGTH = 8 * 1024 * 1024;
/** Milliseconds for compiling all schemas of one server. */
const COMPILE_BUDGET_MS = 5000;

/**
 * Returns the tools of a server that match its patterns and have a usable name and schema. Other
 * tools are named in the warnings. Yields to other work between tools.
 */
export async function readCatalogue(
  server: ServerConfig,
  tools: readonly Tool[],
  checks: SchemaChecks,
): Promise<Catalogue> {
  const entries = new Map<string, CatalogueEntry>();
  const named = tools.filter(isNamed);
  const warnings = unmatchedPatterns(server, named);
  if (named.length < tools.length)
    warnings.push(`${tools.length - named.length} tools are not offered: they have no name`);
  let spentMs = 0;
  let length = 0;
  for (const tool of named.slice(0, MAX_TOOLS)) {
    if (!isOffered(server, tool.name)) continue;
    await nextTurn();
    try {
      if (spentMs > COMPILE_BUDGET_MS)
        throw new UnusableSchemaError('the schemas of the server take too long to compile');
      const { entry, compileMs } = await toEntry(server, tool, checks);
      spentMs += compileMs;
      const added = sizeOf(entry);
      if (added > MAX_DEFINITION_LENGTH)
        throw new UnusableSchemaError(
          `its definition is larger than ${MAX_DEFINITION_LENGTH / 1024} KiB`,
        );
      if (length + added > MAX_CATALOGUE_LENGTH)
        throw new UnusableSchemaError(
          `the definitions of the server's tools are larger than ${MAX_CATALOGUE_LENGTH / 1024 / 1024} MiB together`,
        );
      addTool(entries, entry);
      length += added;
    } catch (error) {
      if (!(error instanceof UnusableSchemaError)) throw error;
      if (error.cause instanceof SchemaError) spentMs += error.cause.spentMs;
      warnings.push(
        `tool ${JSON.stringify(tool.name.slice(0, 100))} is not offered: ${error.message}`,
      );
    }
  }
  if (named.length > MAX_TOOLS)
    warnings.push(
      `${named.length - MAX_TOOLS} tools are not offered: only the first ${MAX_TOOLS} of a server are`,
    );
  return { entries, warnings };
}

function sizeOf({ tool }: CatalogueEntry): number {
  return JSON.stringify(tool).length;
}

/** The client validates only that the list holds objects. */
function isNamed(tool: { readonly name: unknown }): boolean {
  return typeof tool.name === 'string' && tool.name !== '';
}

function isOffered(server: ServerConfig, name: string): boolean {
  const matches = (pattern: string): boolean => matchesPattern(name, pattern);
  return (server.allow.length === 0 || server.allow.some(matches)) && !server.deny.some(matches);
}

function unmatchedPatterns(server: ServerConfig, tools: readonly Tool[]): string[] {
  const unmatched = (field: 'allow' | 'deny'): string[] =>
    server[field]
      .filter(
        (pattern) =>
          pattern !== READ_RESOURCE &&
          pattern !== WATCH_RESOURCE &&
          !tools.some((tool) => matchesPattern(tool.name, pattern)),
      )
      .map(
        (pattern) => `signalbox.${field}: ${JSON.stringify(pattern)} matches no tool of the server`,
      );
  return [...unmatched('allow'), ...unmatched('deny')];
}

async function toEntry(
  server: ServerConfig,
  tool: Tool,
  checks: SchemaChecks,
): Promise<{ readonly entry: CatalogueEntry; readonly compileMs: number }> {
  const description = text(tool.description) ?? '';
  const title = text(tool.title);
  if (description.length > MAX_DESCRIPTION_LENGTH)
    throw new UnusableSchemaError(
      `its description is longer than ${MAX_DESCRIPTION_LENGTH / 1024} KiB`,
    );
  if (!isPlainObject(tool.inputSchema))
    throw new UnusableSchemaError('its input schema is not an object');
  const { validate, ms } = await compileArgumentValidator(server.name, tool.inputSchema, checks);
  const definition = pinnedDefinition(tool);
  const entry = {
    validate,
    definition,
    parts: definitionParts(definition),
    tool: {
      wireName: wireName(server.name, tool.name),
      server: server.name,
      name: tool.name,
      ...(title === undefined ? {} : { title }),
      description,
      inputSchema: tool.inputSchema,
      ...(isPlainObject(tool.outputSchema) ? { outputSchema: tool.outputSchema } : {}),
      annotations: hints(tool.annotations),
      trusted: server.trust,
    },
  };
  return { entry, compileMs: ms };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function addTool(entries: Map<string, CatalogueEntry>, entry: CatalogueEntry): void {
  if (entries.has(entry.tool.wireName))
    throw new UnusableSchemaError('the server lists another tool with this name');
  entries.set(entry.tool.wireName, entry);
}

/** Returns only boolean hints, so that policies never treat `"false"` as true. */
function hints(annotations: unknown): ToolAnnotations {
  const given = isPlainObject(annotations) ? annotations : {};
  const title = text(given['title']);
  const named = HINTS.filter((name) => typeof given[name] === 'boolean').map(
    (name) => [name, given[name] === true] as const,
  );
  return { ...(title === undefined ? {} : { title }), ...Object.fromEntries(named) };
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;
